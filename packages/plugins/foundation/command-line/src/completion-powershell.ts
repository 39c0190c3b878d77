/** The part of the PowerShell script that does not depend on the commands. It runs on Windows PowerShell 5.1 as well. */
export function powershellDriver(table: string): string {
  return `# Completion of tenon for PowerShell. Made by \`tenon completion powershell\`.
${table}

# Splits lines of a name, a tab and a description.
function script:Read-TenonItems([string[]] $Lines) {
    foreach ($line in $Lines) {
        if ($line -eq '') { continue }
        $parts = $line.Split([char] 9, 2)
        [pscustomobject] @{ Name = $parts[0]; Summary = $(if ($parts.Length -gt 1 -and $parts[1] -ne '') { $parts[1] } else { $parts[0] }) }
    }
}

# What a place of the kind $Kind can hold; $Topic are the words of a help topic so far.
function script:Get-TenonOffers([string] $Kind, [string] $Topic, [string] $Program) {
    if ($Kind -eq '-' -or $Kind -eq 'files' -or $Kind -eq 'folders') { return }
    if ($Kind.StartsWith('=')) {
        return Read-TenonItems ($Kind.Substring(1).Split('|'))
    }
    if ($Kind -eq 'commands') {
        $node = $script:TenonTable[$Topic]
        if ($null -ne $node) { Read-TenonItems $node.Subs }
        if ($Topic -eq '') { Read-TenonItems $script:TenonTopics }
        return
    }
    Read-TenonItems @(& $Program '__complete' $Kind 2>$null)
}

# The kind of the value of a flag, or nothing for flags without one.
function script:Get-TenonValueKind($Node, [string] $Flag) {
    foreach ($line in $Node.Valued) {
        $parts = $line.Split(' ', 2)
        if ($parts[0] -ceq $Flag) { return $parts[1] }
    }
}

# Offered names are written into the line: what is no plain word stands in single quotes.
function script:ConvertTo-TenonWord([string] $Text) {
    if ($Text -cmatch '^[A-Za-z0-9_./:@%+=-]+$' -and -not $Text.StartsWith('@')) { return $Text }
    return "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($Text) + "'"
}

Register-ArgumentCompleter -Native -CommandName 'tenon' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # What ends before the cursor: neither the word at the cursor nor what follows it.
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.Extent.Text })
    # Without the quotes that a path with blanks stands in.
    $program = $commandAst.GetCommandName()
    $path = ''; $topic = ''; $position = 0; $expects = ''; $plain = $false
    $node = $script:TenonTable['']
    foreach ($word in ($words | Select-Object -Skip 1)) {
        if ($expects -ne '') { $expects = ''; continue }
        if (-not $plain -and $word -ceq '--') { $plain = $true; continue }
        if (-not $plain -and $word.Length -gt 1 -and $word.StartsWith('-')) {
            $expects = [string] (Get-TenonValueKind $node $word)
            continue
        }
        $next = ($path + ' ' + $word).Trim()
        if ($position -eq 0 -and $script:TenonTable.ContainsKey($next)) {
            $path = $next
            $node = $script:TenonTable[$path]
        } else {
            $position++
            $topic = ($topic + ' ' + $word).Trim()
        }
    }
    $kind = '-'; $prefix = ''; $current = $wordToComplete; $offers = @()
    if ($expects -ne '') { $kind = $expects }
    elseif (-not $plain -and $current -cmatch '^(--[^=]+)=(.*)$') {
        $prefix = $Matches[1] + '='
        $current = $Matches[2]
        $kind = [string] (Get-TenonValueKind $node $Matches[1])
        if ($kind -eq '') { $kind = '-' }
    }
    elseif (-not $plain -and $current.StartsWith('-')) { $offers = @(Read-TenonItems $node.Flags) }
    else {
        if ($position -eq 0) { $offers = @(Read-TenonItems $node.Subs) }
        for ($number = 0; $number -lt $node.Kinds.Length; $number++) {
            $wanted = $node.Kinds[$number]
            if ($number -eq $position -or $wanted.StartsWith('*')) { $kind = $wanted.TrimStart('*'); break }
        }
    }
    # Nothing offered: PowerShell completes names of files by itself.
    $offers = @($offers) + @(Get-TenonOffers $kind $topic $program)
    foreach ($offer in $offers) {
        if (-not $offer.Name.StartsWith($current, [StringComparison]::Ordinal)) { continue }
        $written = $prefix + (ConvertTo-TenonWord $offer.Name)
        [System.Management.Automation.CompletionResult]::new($written, $offer.Name, 'ParameterValue', $offer.Summary)
    }
}
`;
}

/** A text in single quotes. PowerShell also takes the typographic ones for quotes, so each of them is doubled. */
export function powershellQuote(text: string): string {
  return `'${text.replaceAll(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}
