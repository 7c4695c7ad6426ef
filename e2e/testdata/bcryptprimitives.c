// The one function of Windows 10 that Go programs cannot start without and that Wine 8 does not have.
#include <windows.h>
#include <ntsecapi.h> // RtlGenRandom

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *data, SIZE_T length) {
	while (length > 0) {
		ULONG n = length > 1 << 20 ? 1 << 20 : (ULONG)length;
		if (!RtlGenRandom(data, n)) return FALSE;
		data += n;
		length -= n;
	}
	return TRUE;
}

// Keep is for rundll32: a program that has the desktop open, says so and never ends. While it runs, Wine's services and
// desktop stay, which otherwise start with each program and keep its output open for seconds.
__declspec(dllexport) void CALLBACK Keep(HWND window, HINSTANCE instance, LPSTR arguments, int show) {
	DWORD written;
	GetDesktopWindow();
	WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "up\n", 3, &written, NULL);
	Sleep(INFINITE);
}
