; The installer of a game: for one player, without an administrator.
;   setup.exe /S                       silent
;   uninstall.exe /S [/DELETESAVES]    silent; the saves stay unless told otherwise
Unicode true
Target amd64-unicode
ManifestDPIAware true
ManifestSupportedOS all
RequestExecutionLevel user
SetCompressor zlib
SetDateSave off
AllowSkipFiles off
CRCCheck on

Name {{q .Name}}
BrandingText {{q .Publisher}}
OutFile {{q .Out}}
InstallDir "$LOCALAPPDATA\Programs\{{.ID}}"
!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\{{.ID}}"
InstallDirRegKey HKCU "${KEY}" "InstallLocation"

VIProductVersion "{{.Numbers}}"
VIFileVersion "{{.Numbers}}"
VIAddVersionKey "ProductName" {{q .Name}}
VIAddVersionKey "CompanyName" {{q .Publisher}}
VIAddVersionKey "FileDescription" {{q (printf "%s Setup" .Name)}}
VIAddVersionKey "FileVersion" {{q .Version}}
VIAddVersionKey "ProductVersion" {{q .Version}}
VIAddVersionKey "LegalCopyright" {{q .Publisher}}

!include "MUI2.nsh"
!include "FileFunc.nsh"
!include "LogicLib.nsh"
!define MUI_ABORTWARNING
!define MUI_WELCOMEFINISHPAGE_BITMAP "${NSISDIR}\Contrib\Graphics\Wizard\nsis3-grey.bmp"
{{if .Icon}}!define MUI_ICON {{q .Icon}}
!define MUI_UNICON {{q .Icon}}
{{end}}
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN
!define MUI_FINISHPAGE_RUN_FUNCTION Play
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

Section
  SetOutPath "$INSTDIR"
  File {{in "/oname=" .ProgramName}} {{q .Program}}
{{if .Side}}  File {{in "/oname=" .SideName}} {{q .Side}}
{{end}}  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut {{in "$SMPROGRAMS\\" .Shortcut ".lnk"}} {{in "$INSTDIR\\" .ProgramName}}
  WriteRegStr HKCU "${KEY}" "DisplayName" {{q .Name}}
  WriteRegStr HKCU "${KEY}" "DisplayVersion" {{q .Version}}
  WriteRegStr HKCU "${KEY}" "Publisher" {{q .Publisher}}
  WriteRegStr HKCU "${KEY}" "DisplayIcon" {{in "$INSTDIR\\" .ProgramName}}
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "EstimatedSize" {{.KiB}}
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
{{if or .Link .Bootstrapper}}  Call WebView2
{{end}}SectionEnd
{{if or .Link .Bootstrapper}}
; The engine that shows the game is part of Windows 11 and of most copies of Windows 10.
Function WebView2
  !define CLIENT "Microsoft\EdgeUpdate\Clients\{F3017226-FE2A-4295-8BDF-00C3A9A7E4C5}"
  ReadRegStr $0 HKLM "SOFTWARE\WOW6432Node\${CLIENT}" "pv"
  ReadRegStr $1 HKCU "Software\${CLIENT}" "pv"
  ${If} "$0$1" != ""
    Return
  ${EndIf}
{{if .Bootstrapper}}  InitPluginsDir
  File "/oname=$PLUGINSDIR\webview2.exe" {{q .Bootstrapper}}
  DetailPrint "Microsoft Edge WebView2"
  ExecWait '"$PLUGINSDIR\webview2.exe" /silent /install'
{{else}}  MessageBox MB_YESNO|MB_ICONINFORMATION "The game needs Microsoft Edge WebView2, which is not on this computer. Open the page where Microsoft offers it?" /SD IDNO IDNO done
  ExecShell "open" "https://go.microsoft.com/fwlink/p/?LinkId=2124703"
done:
{{end}}FunctionEnd
{{end}}
Function Play
  Exec {{in "$\\\"$INSTDIR\\" .ProgramName "$\\\""}}
FunctionEnd

Section "Uninstall"
  ${GetParameters} $0
  ClearErrors
  ${GetOptions} $0 "/DELETESAVES" $1
  ${IfNot} ${Errors}
    Goto saves
  ${EndIf}
  MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "Delete the saved games as well?" /SD IDNO IDNO program
saves:
  ExecWait {{in "$\\\"$INSTDIR\\" .ProgramName "$\\\" saves delete --yes"}}
program:
  ClearErrors
  Delete {{in "$INSTDIR\\" .ProgramName}}
  ${If} ${Errors}
    MessageBox MB_OK|MB_ICONEXCLAMATION "Close the game first, then uninstall it again." /SD IDOK
    SetErrorLevel 2
    Quit
  ${EndIf}
{{if .Side}}  Delete {{in "$INSTDIR\\" .SideName}}
{{end}}  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete {{in "$SMPROGRAMS\\" .Shortcut ".lnk"}}
  DeleteRegKey HKCU "${KEY}"
SectionEnd
