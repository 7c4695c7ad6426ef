//go:build linux

#define _GNU_SOURCE
#include "webview_linux.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define GLOB_DAT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define GLOB_DAT R_AARCH64_GLOB_DAT
#endif

#ifdef GLOB_DAT
// bind_addresses fills in the functions whose address the program asks the loader for at start: build/loosen made
// them weak, so they are still empty when the libraries come in later. Calls need no help, they bind at first use.
static int bind_addresses(struct dl_phdr_info *program, size_t size, void *data) {
	const ElfW(Rela) *rela = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *names = NULL;
	size_t bytes = 0;
	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA) rela = (const void *)d->d_un.d_ptr;
		if (d->d_tag == DT_RELASZ) bytes = d->d_un.d_val;
		if (d->d_tag == DT_SYMTAB) symbols = (const void *)d->d_un.d_ptr;
		if (d->d_tag == DT_STRTAB) names = (const char *)d->d_un.d_ptr;
	}
	uintptr_t page = sysconf(_SC_PAGESIZE), sealed = 0, sealed_end = 0;
	for (int i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &program->dlpi_phdr[i];
		if (h->p_type != PT_GNU_RELRO) continue;
		sealed = program->dlpi_addr + h->p_vaddr;
		sealed_end = sealed + h->p_memsz;
	}
	for (size_t i = 0; rela != NULL && i < bytes / sizeof *rela; i++) {
		const ElfW(Sym) *s = &symbols[ELF64_R_SYM(rela[i].r_info)];
		if (ELF64_R_TYPE(rela[i].r_info) != GLOB_DAT || s->st_shndx != SHN_UNDEF) continue;
		void **slot = (void **)(program->dlpi_addr + rela[i].r_offset);
		if (*slot != NULL) continue;
		void *start = (void *)((uintptr_t)slot & ~(page - 1));
		int is_sealed = (uintptr_t)slot >= sealed && (uintptr_t)slot < sealed_end;
		if (is_sealed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return 1;
		*slot = dlsym(RTLD_DEFAULT, names + s->st_name);
		if (is_sealed) mprotect(start, page, PROT_READ);
	}
	return 1; // the first object is the program itself; the others are none of our business
}
#endif

// conch_load_engine opens the web engine for the whole program and answers NULL, or the loader's own words about
// what is missing. A program that was linked to it in the usual way finds it open already.
const char *conch_load_engine(void) {
	if (dlopen(CONCH_ENGINE, RTLD_NOW | RTLD_GLOBAL) == NULL) return dlerror();
#ifdef GLOB_DAT
	dl_iterate_phdr(bind_addresses, NULL);
#endif
	return NULL;
}

// conch_load_toolkit opens GTK alone, to say in a native box that the engine is missing.
int conch_load_toolkit(void) {
	if (dlopen("libgtk-3.so.0", RTLD_NOW | RTLD_GLOBAL) == NULL) return 0;
#ifdef GLOB_DAT
	dl_iterate_phdr(bind_addresses, NULL);
#endif
	return 1;
}
