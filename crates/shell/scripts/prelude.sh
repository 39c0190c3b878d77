exec 243<&-
\builtin trap __tenon_save EXIT
\builtin trap __tenon_cancel @CANCEL_SIGNAL@
\builtin shopt -s expand_aliases
