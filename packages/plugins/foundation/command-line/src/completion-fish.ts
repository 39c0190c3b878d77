/** The part of the fish script that does not depend on the commands. */
export function fishDriver(table: string): string {
  return `# Completion of tenon for fish. Made by \`tenon completion fish\`.
${table}

# Prints what a place of the kind $argv[1] can hold; $argv[2] are the words of a help topic so far.
function __tenon_offer_kind
    switch "$argv[1]"
        case '-'
        case '=*'
            string split '|' -- (string sub -s 2 -- "$argv[1]")
        case files
            set -l current (commandline -ct)
            if string match -q -- '@*' $current
                for file in (__fish_complete_path (string sub -s 2 -- $current))
                    printf '@%s\\n' $file
                end
            else
                __fish_complete_path $current
            end
        case folders
            __fish_complete_directories (commandline -ct)
        case commands
            if __tenon_table "$argv[2]"
                printf '%s\\n' $__tenon_subs
            end
            if test -z "$argv[2]"
                printf '%s\\n' $__tenon_topics
            end
        case '*'
            set -l words (commandline -opc)
            $words[1] __complete "$argv[1]" 2>/dev/null
    end
end

# Prints what the value of flag $argv[1] is; fails for flags without one.
function __tenon_value_kind
    for line in $__tenon_valued
        set -l parts (string split -m 1 ' ' -- $line)
        if test "x$parts[1]" = "x$argv[1]"
            printf '%s\\n' "$parts[2]"
            return 0
        end
    end
    return 1
end

function __tenon_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l path ''
    set -l topic ''
    set -l position 0
    set -l expects ''
    set -l plain ''
    __tenon_table ''
    for word in $words[2..-1]
        if test -n "$expects"
            set expects ''
            continue
        end
        # A word such as -p would be an operator of test.
        if test -z "$plain"; and test "x$word" = x--
            set plain 1
            continue
        end
        if test -z "$plain"; and string match -q -- '-?*' $word
            set expects (__tenon_value_kind $word)
            continue
        end
        set -l names (string replace -r '\\t.*' '' -- $__tenon_subs)
        if test $position = 0; and contains -- $word $names
            set path (string trim -- "$path $word")
            __tenon_table "$path"
        else
            set position (math $position + 1)
            set topic (string trim -- "$topic $word")
        end
    end
    if test -n "$expects"
        __tenon_offer_kind "$expects" ''
        return
    end
    if test -z "$plain"; and string match -q -- '--*=*' $current
        set -l flag (string split -m 1 '=' -- $current)[1]
        set -l kind (__tenon_value_kind $flag); or return
        for candidate in (__tenon_offer_kind "$kind" '')
            printf '%s\\n' "$flag=$candidate"
        end
        return
    end
    if test -z "$plain"; and string match -q -- '-*' $current
        printf '%s\\n' $__tenon_flags
        return
    end
    if test -z "$path"; and string match -q -- '@*' $current; and string match -q -- '*files' $__tenon_kinds
        __tenon_offer_kind files ''
        return
    end
    if test $position = 0
        printf '%s\\n' $__tenon_subs
    end
    set -l number 0
    for kind in $__tenon_kinds
        if test $number = $position; or string match -q -- '\\**' $kind
            __tenon_offer_kind (string replace -r '^\\*' '' -- $kind) "$topic"
            return
        end
        set number (math $number + 1)
    end
end

complete -c tenon -f -a '(__tenon_candidates)'
`;
}
