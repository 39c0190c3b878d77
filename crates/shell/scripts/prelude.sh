exec 243<&-
# Reports the end of a command: its token, its status, the folder, the options in force. The name is short because
# the shell reads its script byte by byte.
__tenon() {
  \builtin printf '\0E\0%s\0%s\0%s\0%s\0' "$1" "$?" "$PWD" "$-" >&244 || \builtin exit
}
# Sets $? back to what the previous command left; under `set -e` that would end the shell.
__tenon_status() {
  case $- in *e*) return 0 ;; esac
  return "$1"
}
# Hands the shell's state to the host, which gives it to the next shell.
__tenon_save() {
  [ -n "${__tenon_saved-}" ] && return
  __tenon_saved=1
  {
    \builtin printf '\0S\0%s\0' "$PWD"
    \builtin declare -p
    \builtin declare -f
    \builtin alias -p
    \builtin shopt -p
    \builtin set +o
    \builtin printf 'set +e\n'
    \builtin umask -p
    \builtin printf '\0'
  } >&244 2>/dev/null
}
__tenon_cancel() {
  __tenon_save
  \builtin exit 130
}
\builtin trap __tenon_save EXIT
\builtin trap __tenon_cancel @CANCEL_SIGNAL@
\builtin shopt -s expand_aliases
