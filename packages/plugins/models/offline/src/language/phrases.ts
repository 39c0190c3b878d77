/**
 * How people ask for things. Pure data: the first phrase that fits decides, so special ones stand before general ones.
 * The syntax is explained in `template.ts`. Quoted text, scope ("in src/") and politeness are already gone.
 */

/** One way to ask. */
export interface Phrase {
  readonly intent: string;
  readonly says: string;
  /** Slots that the wording itself fills. */
  readonly with?: Readonly<Record<string, string>>;
}

const phrases = (intent: string, says: readonly string[], fixed?: Readonly<Record<string, string>>): Phrase[] =>
  says.map((text) => ({ intent, says: text, ...(fixed && { with: fixed }) }));

const SHOW = '(show|list|display|print|get|give|see|view|tell)';
const LIST = '(list|show|find|get|give|collect|print|display|enumerate|name|what are|which are|see)';
const NAMED = '(named|called|with name|whose name is|by name of|that are called|that are named)';
const LIKE = '(matching|like|with pattern|that match|which match|named like|called like)';
const ENDING =
  '(ending (with|in)|that end (with|in)|which end (with|in)|whose name ends (with|in)|with [file] extension|having extension)';
const CONTAINING =
  '(containing|that contain|which contain|that mention|mentioning|with [text]|that have|that use|using|that import|importing|that reference|referencing|that include)';
const BECOMES = '(to|into|as|to be)';
const TODO =
  '(todos|to-dos|todo|to-do|to dos|todo comments|to-do comments|todo items|to-do items|fixmes|fixme comments|todos and fixmes|todo and fixme comments|todos or fixmes|fixmes and todos|open tasks|todo notes|todo list|to-do list|todos and fixme comments)';
const CHANGES = '(changes|modifications|edits|changed files|modified files)';

/** Phrases in the order in which they are tried. */
export const PHRASES: readonly Phrase[] = [
  ...phrases('help', [
    'help [me]',
    '(hi|hello|hey|hallo|greetings|good morning|good evening)',
    'what can you do [for me] [here] [offline]',
    'what (do|are) you [able to] [do|understand|support]',
    'what (requests|commands|things) (can|do) you (understand|do|handle|support)',
    'who are you',
    'what are your (abilities|capabilities|commands|features|limits)',
    `${SHOW} [me] [your] (help|commands|abilities|capabilities|features)`,
    'how do i use you',
    'how do you work',
  ]),
  ...phrases('thanks', [
    '(thanks|thank you|thx|great|nice|cool|perfect|well done|good job) [a lot|very much|so much]',
    '(ok|okay|fine|good)',
    '(bye|goodbye)',
  ]),
  ...phrases('setup', [
    'how (do|can) i (set up|setup|configure|use|add|connect|get) [real|better|another] (model|llm|ai|api key|provider) [{_:text}]',
    '(set up|setup|configure|use|add|connect) [real|better|another] (model|llm|ai model|api key|provider)',
    'which model (are you|is this|do you use|is used)',
    'what model (are you|is this|do you use|is used)',
  ]),

  ...phrases(
    'git',
    [
      'git status',
      `${SHOW} [git|repo|repository|working tree] status`,
      '(what is|whats|check) [git|repo|repository|working tree] status',
      'status',
      'are there [any] (uncommitted|unstaged|pending|local) changes',
      'is (working tree|tree|repo|repository|everything) (clean|committed)',
      'is there anything (uncommitted|to commit)',
      '(what|which) files (have|are|were|did) [been|i] (changed|modified|touched|edited|dirty|uncommitted|untracked|change|modify)',
      '(what|which) files changed',
      `${LIST} (changed|modified|uncommitted|untracked|dirty|edited|staged) files`,
      `${LIST} files (that|which|i) [have|were|are] [been] (changed|modified|edited)`,
    ],
    { what: 'status' },
  ),
  ...phrases(
    'git',
    [
      'git diff',
      'git diff {path}',
      `${SHOW} [me] [git|full|current] diff`,
      'diff',
      'diff {path}',
      `${SHOW} [me] [my|uncommitted|unstaged|current|local|pending|working|recent|latest] ${CHANGES}`,
      '(what|which things) (changed|has changed|have changed|is different|did i change|have i changed|was changed|did you change|have you changed|did we change) [so far|since last commit|compared to head]',
      `what are [my|uncommitted|unstaged|current|local|pending] ${CHANGES}`,
      `${SHOW} what (changed|has changed|i changed|you changed|is different)`,
      `${SHOW} [me] diff (of|for|in|against) {path}`,
      `what ${CHANGES} (have i|did i|have you|did you|have we) (made|make|done)`,
    ],
    { what: 'diff' },
  ),
  ...phrases(
    'git',
    [
      'git diff --staged',
      'git diff --cached',
      `${SHOW} [me] staged (diff|${CHANGES})`,
      'what is staged',
      'what (have i|did i) (staged|stage)',
      'what will be committed',
    ],
    { what: 'staged' },
  ),
  ...phrases(
    'git',
    [
      'git log',
      `${SHOW} [me] [git] (log|history|commit history|commit log)`,
      `${LIST} [recent|last|latest] [{count:number}] [recent|last|latest] commits`,
      '[last|latest|recent] [{count:number}] commits',
      'what (was|were|are|is) (last|latest|recent) [{count:number}] (commit|commits)',
      '(last|latest) commit',
      'history of {path}',
    ],
    { what: 'log' },
  ),
  ...phrases(
    'git',
    [
      '(which|what) branch (am i on|is this|are we on|is checked out|is current)',
      '(what|which) is current branch',
      `${LIST} [git|local] branches`,
      'current branch',
      'git branch',
      `${SHOW} current branch`,
    ],
    { what: 'branch' },
  ),

  ...phrases('todos', [
    `${LIST} [me] [open|remaining|outstanding|pending|left] ${TODO}`,
    `${TODO}`,
    `(search|look|scan|grep) for [open|remaining] ${TODO}`,
    `are there [any] [open|remaining] ${TODO} [left]`,
    `(what|which) ${TODO} (are|is) (there|left|open|in code)`,
    `where are [open] ${TODO}`,
    `how many ${TODO} (are there|do we have|are left|exist)`,
    '(what is|what else is|whats) [still] left to (do|be done)',
    'what [still] (needs|remains|has) to be done',
    'what remains to [be] (do|done)',
    'what is [still] to (do|be done)',
    `any ${TODO}`,
  ]),

  ...phrases('rename', [
    `(rename|refactor) {kind} [from] {old:name} ${BECOMES} {new:name}`,
    `(rename|refactor) [from] {old:name} {kind} ${BECOMES} {new:name}`,
    `rename {old:name} ${BECOMES} {new:name}`,
    `rename from {old:name} ${BECOMES} {new:name}`,
    `rename ${BECOMES} {new:name} {kind} {old:name}`,
    `rename {kind} {old:name} {new:name}`,
    `rename {kind} {old:name} [and] [call|name] [it] [to|into] {new:name}`,
    `refactor {old:marked} ${BECOMES} {new:marked}`,
    `(change|update|switch|set|alter) name of [{kind}] {old:name} [{_:kind}] ${BECOMES} {new:name}`,
    `(change|update|switch|set|alter) name of [{kind}] {old:name} from {_:name} ${BECOMES} {new:name}`,
    `(change|update|switch|set|alter) [{kind}] {old:name} 's name ${BECOMES} {new:name}`,
    `(change|update|switch|set|alter) [{kind}] {old:name} name ${BECOMES} {new:name}`,
    `(change|update|switch|turn|convert|make) {kind} {old:name} ${BECOMES} {new:name}`,
    `(change|update) {kind} name [from] {old:name} ${BECOMES} {new:name}`,
    `(change|update) {old:name} {kind} ${BECOMES} {new:name}`,
    `(change|update) {kind} name from {old:name} ${BECOMES} {new:name}`,
    'call [{kind}] {old:name} {new:name} instead',
    'call [{kind}] {old:name} {new:name} from now on',
    '[{kind}] {old:name} (should|must|needs to|has to|ought to|is to) be (called|named|renamed to|renamed) {new:name} [instead]',
    '[{kind}] {old:name} [{_:kind}] (should|must|needs to) (become|be) {new:name}',
    'give [{kind}] {old:name} new name {new:name}',
    'give [{kind}] {old:name} name {new:name}',
    'give {new:name} as [new] name to [{kind}] {old:name}',
    'use [new] name {new:name} (instead of|for|in place of) [{kind}] {old:name}',
    'make {old:name} [be] (called|named) {new:name}',
    '(do|perform|make|apply|start) [rename|renaming] (of|from) [{kind}] {old:name} to {new:name}',
    '(do|perform|make|apply) rename [refactoring] [of|from|:] [{kind}] {old:name} to {new:name}',
    'rename [refactoring] [{kind}] {old:name} {new:name}',
    '{new:name} is [a] better name (for|than) [{kind}] {old:name} [so] rename [it]',
    'rename usages of [{kind}] {old:name} to {new:name}',
    'rename [all] (occurrences|references|uses|instances) of [{kind}] {old:name} to {new:name}',
    'replace [name|symbol|identifier] {old:marked} (with|by) [name|symbol|identifier] {new:marked} as [symbol|name|identifier]',
  ]),
  ...phrases('move-file', [
    '(rename|move|mv) [file|folder|directory] {old:path} (to|into|as) {new:file}',
    '(move|mv) [file] {old:file} (to|into) {new:path}',
  ]),

  ...phrases('rewrite-calls', [
    '(replace|change|convert|rewrite|turn|migrate|swap|update) (calls|invocations|uses|usages|every call|each call|call) (to|of|from) {old:name} (with|to|by|into|for) [(calls|invocations|ones|uses|usages|call) (to|of)] {new:name}',
    '(call|use|invoke) {new:name} instead of calling {old:name}',
    '(replace|change|convert|rewrite|turn) {old:name} calls (with|to|by|into) {new:name} [calls]',
  ]),
  ...phrases('rewrite', [
    '(rewrite|transform|convert|migrate|restructure|codemod|restructurize) [code|pattern|expression|expressions|calls|structure|occurrences of|structurally] {old:text} (to|into|as|with|by|->) [code|pattern] {new:text}',
    '(structurally|syntactically) (replace|change|rewrite|convert|transform) [pattern|code] {old:text} (with|by|to|into) [pattern|code] {new:text}',
    '(replace|change|rewrite) (pattern|structure|code pattern|ast pattern|expression) {old:text} (with|by|to|into) {new:text}',
    '(do|run|make|apply|perform) (structural|ast|syntactic) (rewrite|replace|replacement|transformation|search and replace) (of|from) {old:text} (to|into|with|by) {new:text}',
    '(do|run|make|apply|perform) (structural|ast|syntactic) (rewrite|replace|replacement|transformation) {old:text} (to|into|with|by) {new:text}',
    'ast (edit|rewrite|replace) {old:text} (to|into|with|by) {new:text}',
  ]),
  ...phrases(
    'rewrite',
    [
      '(replace|change|rewrite|convert|transform) {old:text} (with|by|to|into) {new:text} (structurally|syntactically|by structure)',
      '(replace|change) (structurally|syntactically) {old:text} (with|by|to|into) {new:text}',
    ],
    { structure: 'yes' },
  ),

  ...phrases(
    'append',
    [
      '(add|append|insert|put|write|attach) [line|lines|text|following line|following lines] {text} (to|at|on) (end|bottom|tail) of [file] {path:file}',
      '(add|append|insert|put|write|attach) [line|lines|text] {text} at (end|bottom)',
      'append [line|lines|text] {text} (to|onto) [file] {path:file}',
      'append [to] [file] {path}: {text}',
      'add [line|lines|text] {text:quoted} (to|into) [file] {path:file}',
      'add (line|lines) {text} (to|into) [file] {path}',
    ],
    { at: 'end' },
  ),
  ...phrases(
    'append',
    [
      '(add|prepend|insert|put|write) [line|lines|text] {text} (to|at|on) (top|start|beginning|head) of [file] {path:file}',
      '(add|prepend|insert|put|write) [line|lines|text] {text} at (top|start|beginning)',
      'prepend [line|lines|text] {text} to [file] {path:file}',
    ],
    { at: 'start' },
  ),

  ...phrases(
    'replace',
    [
      '(replace|substitute) [text|string|word|phrase|occurrences of|occurrence of] {old:text} (with|by) nothing',
      '(remove|delete|strip) [text|string|word|phrase|occurrences of|occurrence of] {old:quoted}',
    ],
    { new: '' },
  ),
  ...phrases('replace', [
    '(replace|substitute|swap|exchange) [text|string|word|words|phrase|occurrences of|occurrence of|instances of|mentions of|line] {old:text} (with|by|for|through|to) [text|string|word|phrase|line] {new:text}',
    '(change|edit|update|modify|turn|alter|set|correct|fix) [text|string|word|words|phrase|occurrences of|occurrence of|instances of|mentions of|line|value|typo|spelling] [from] {old:text} (to|into) [text|string|word|phrase|line] {new:text}',
    'use {new:text} instead of {old:text}',
    '(write|say|put) {new:text} instead of {old:text}',
    'search and replace {old:text} (with|by|to) {new:text}',
    'search for {old:text} and replace (it|them) (with|by) {new:text}',
    'find {old:text} and (replace|change) (it|them) (with|by|to) {new:text}',
    'find and replace {old:text} (with|by|to) {new:text}',
    '{old:quoted} (should|must) be {new:quoted}',
  ]),

  ...phrases('create', [
    '(create|make|add|generate|write|new|start|set up) [new|empty|blank] [text|source|script|config|markdown] file [named|called|at|with name|with path] {path:file} [and] (with|containing|that contains|which contains|that says|saying|having|with content|with contents|with text|holding|and put|and write|with following content|with following contents|:) [content|contents|text|line|just|only|exactly] {text}',
    '(create|make|generate|write|new) [new] {path} (with|containing|that contains|which contains|that says|saying|having|with content|with contents|with text|holding|with following content) [content|contents|text|line|just|only|exactly] {text}',
    '(create|make|add|generate|write|new|start) [new] [empty|blank] [text|source|script|config|markdown] file [named|called|at|with name|with path] {path:file} {text:quoted}',
    '(create|make|write|save) {path} {text:quoted}',
    '(write|save|put|store|dump) [text|content|following] {text} (to|into|as) [new] [file] [named|called] {path:file}',
    '(write|save|put|store) {text:quoted}',
    '(create|make) [new] file [named|called|at] {path:file} and (write|put) {text} (into|in|to) it',
    '(create|make|add|generate|new|start|touch|write) [new|empty|blank] [text|source|script|config|markdown] file [named|called|at|with name|with path] {path:file}',
    '(create|touch|make|add) [new|empty|blank] {path}',
    'touch {path:file}',
    '(create|make|add|write|touch) [new|empty|blank] file',
  ]),

  ...phrases('delete', ['(delete|remove|erase|rm|unlink|wipe|trash|drop|clean up) {what:text}']),

  ...phrases('tests', [
    '(run|execute|start|launch|do|rerun|re-run) [unit|integration|whole|complete|full|project] (tests|test|test suite|testsuite|test cases|specs|unit tests) [again|once more|once]',
    '(run|execute) tests (again|once more)',
    '(run|execute|rerun) [tests|test|spec|test file] {path}',
    'run tests (for|of|from|in|on) {path:file}',
    'test [it|this|everything|project|code|changes|my changes]',
    'test {path}',
    '(do|are|did) [unit] tests (pass|passing|green|ok|okay|still pass|work|succeed|all pass)',
    '(check|make sure|verify|see|ensure|confirm) [if|that|whether] [unit] tests [still] (pass|passing|are green|are passing|work|succeed|run)',
    'npm test',
  ]),
  ...phrases(
    'script',
    [
      '(build|compile) [it|this|everything|project|code|app|application|package]',
      '(run|do|make|start) [production] build',
      'does it (build|compile)',
      'make it compile',
    ],
    { script: 'build' },
  ),
  ...phrases(
    'script',
    [
      'lint [it|this|everything|project|code]',
      '(run|start|execute) (linter|lint|linting)',
      'check (lint|code style|style)',
    ],
    { script: 'lint' },
  ),
  ...phrases(
    'script',
    [
      '(typecheck|type-check|type check) [it|this|everything|project|code]',
      '(run|start|execute) (type checker|typechecker|typecheck|type check|tsc)',
      '(check|verify) types',
    ],
    { script: 'typecheck' },
  ),
  ...phrases(
    'script',
    ['format [it|this|everything|project|code]', '(run|start|execute) (formatter|format|prettier)'],
    { script: 'format' },
  ),
  ...phrases('script', [
    '(run|execute|start|launch) {script:word} (script|task|target)',
    '(run|execute|start|launch) (script|task|target) {script:word}',
    '(run|execute|start|launch) [npm|package] script {script:word}',
  ]),

  ...phrases('symbols', [
    `(list|show|find|get|give|print|display|enumerate|name|what are|which are|see|collect) [names of] [exported|public|defined|declared|available|top-level] {kind} [there] [are] [defined|declared|exported|available|here]`,
    '(what|which) [exported|public] {kind} (are|is|exist) [there|defined|declared|exported|here|in it|available]',
    '(what|which) [exported|public] {kind} (does|do) {path} (have|define|export|contain|declare|provide|include)',
    '(what|which) [exported|public] {kind} (do we have|exist|can i use)',
    `${LIST} {kind} {path} (defines|exports|has|declares|contains)`,
    'how many {kind} (are there|are|exist|does it have|do we have) [defined|there]',
    'how many {kind} (does|do) {path} (have|define|export|contain|declare)',
    'what does {path} (export|define|declare|provide)',
    'exports of {path}',
    '{kind} (of|in|from) {path}',
    'symbols',
  ]),

  ...phrases('outline', [
    '(outline|overview|structure|skeleton) [of|for] [file] {path}',
    `${SHOW} [me] (outline|overview|structure|skeleton|shape|summary|signatures|layout) (of|for) [file] {path}`,
    `${SHOW} [me] {path} (outline|overview|structure|skeleton)`,
    '(summarize|summarise|skim|sketch) [file|module] {path}',
    '(summary|shape|layout|gist) of [file] {path}',
    'how is [file] {path} (structured|organized|organised|laid out|built)',
    'what is structure of {path}',
    `${SHOW} [me] (outline|overview|structure|skeleton|shape|layout)`,
    '(outline|overview|summarize|summarise|structure)',
    '(outline|overview|summarize|summarise) [of] {path:file}',
  ]),
  ...phrases('diagnose', [
    'what does (type checker|typechecker|compiler|typescript|tsc|pyright|linter|language server|lsp) (say|think|report|complain) about [file] {path}',
    '(type check|typecheck|type-check|lint|diagnose) [file] {path}',
    'check [file] {path} for [type|compile|compiler|syntax] (errors|problems|mistakes|warnings)',
    '(are|is) there [any|a] [type|compile|compiler|syntax] (errors|problems|mistakes|warnings|error|problem) in [file] {path}',
    '(show|list|get|find|what are) [me] [type|compile|compiler|syntax] (errors|problems|diagnostics|warnings) (in|of|for) [file] {path}',
    '(diagnostics|errors|problems) (in|of|for) [file] {path}',
    'does [file] {path} (type check|typecheck|compile)',
  ]),
  ...phrases('explain-file', [
    '(explain|describe|walk me through|talk me through|tell me about|introduce) [what is in|contents of|content of] [file|module|code in|code of] {path} [to me]',
    'what (does|do) [file|code in|code of|module] {path} do [exactly]',
    'what is [file] {path} [for|about|good for]',
    'what is purpose of [file] {path}',
    'how does [file|code in] {path} work',
    'explain [file|code|to me]',
    '(explain|describe) {path} to me',
  ]),
  ...phrases('definition', [
    'where is [{kind}] {name} [{_:kind}] (defined|declared|implemented|written|coming from|located|exported)',
    '(where|in which file) (is|do i find|can i find|does) [{kind}] {name} (live|come from)',
    'where (do we|do i|does it|did we) (define|declare|implement) [{kind}] {name}',
    '(go|jump|navigate) to (definition|declaration|implementation|source) [of] [{kind}] {name}',
    '(go|jump|navigate) to [{kind}] {name}',
    `(show|find|get|open|print|display|give|locate|see|view|search) [me] [for] (definition|declaration|implementation|source|source code|code|body|signature) (of|for) [{kind}] {name}`,
    '(show|find|open|print|display|locate|view) [me] {kind} {name}',
    '(show|find|open|print|display|locate|view) [me] {name:marked} {kind}',
    '(definition|declaration|implementation) of [{kind}] {name}',
    '(which|what) file (defines|declares|implements|contains definition of|has) [{kind}] {name}',
    '(find|show|list|get) [me] {kind} (called|named|with name) {name}',
    'find where [{kind}] {name} is (defined|declared|implemented)',
    '(show|tell) me where [{kind}] {name} is (defined|declared|implemented)',
  ]),
  ...phrases('explain', [
    '(explain|describe|walk me through|talk me through|tell me about|clarify) [what is|how|what] [{kind}] {name} [{_:kind}] [does|works|is|to me]',
    'what does [{kind}] {name} [{_:kind}] (do|mean|return|take|accept)',
    'what is [{kind}] {name:marked} [for|about|good for|doing]',
    'what is {kind} {name} [for|about|good for|doing]',
    'what is purpose of [{kind}] {name}',
    'how does [{kind}] {name} [{_:kind}] work',
    'how is [{kind}] {name} implemented',
  ]),

  ...phrases('find', [
    `(find|locate|list|show|get|search for|look for|search|give) [me] [{type}] (files|file) ${LIKE} {file}`,
    `(find|locate|list|show|get|search for|look for|search|give) [me] [{type}] (files|file) ${NAMED} {named:file}`,
    `(find|locate|list|show|get|search for|look for|search|give) [me] [{type}] files ${ENDING} {suffix:file}`,
    '(find|locate|list|show|get|search for|look for|search|give) [me] [{type}] files (starting with|that start with|beginning with|whose name starts with) {prefix:file}',
    '(find|locate|list|show|get|search for|look for|search|give) [me] [{type}] files (with|containing) {part:file} in (name|their name|names|their names|filename|path)',
    '(find|locate|list|show|get|search for|look for|search|give) [me] [{type}] files whose name contains {part:file}',
    '(find|locate|list|show|get|search for|look for|search|give|print|display|enumerate) [me] {type} [source|code] files [there] [are]',
    '(find|locate|list|show|get|print|display|enumerate|give|see) [me] files [there] [are]',
    '(find|locate|search for|look for|where is) file {named:file}',
    '(which|what) files (are|is) (named|called) {named:file}',
    '(which|what) files (are|is) (matching|like) {file}',
    `(which|what) files (end with|end in|ending with|have extension) {suffix:file}`,
    '(which|what) files match {file}',
    '(which|what) [{type}] files (are|exist|do we have) [there|here|available]',
    '(which|what) {type} files [exist|are there|do we have]',
    'how many [{type}] files [are|do we have|exist] [there|in it]',
    'where (is|are) {type} files',
  ]),
  ...phrases('find', ['{type} files'], { bare: 'yes' }),

  ...phrases('references', [
    'who (calls|uses|references|imports|invokes) [{kind}] {name}',
    'what (calls|uses|references|imports|depends on|invokes) [{kind}] {name}',
    'where (is|are|do we|do i|does anything) [{kind}] {name} [{_:kind}] [being] (used|called|referenced|imported|mentioned|invoked)',
    'where (do we|do i|does code) (use|call|reference|import|mention|invoke) [{kind}] {name}',
    '(find|show|list|get|search for|search|look for|give) [me] (usages|uses|usage|references|calls|callers|call sites|users|invocations|importers|imports) (of|to|for) [{kind}] {name}',
    '(find|show|list|get) [me] {name:marked} (usages|uses|references|callers|calls)',
    '(find|show|list) (everything|everyone|code|places|anything) (that|which|where) (uses|calls|references|imports) [{kind}] {name}',
    '(find|show|list) [me] [places] where [{kind}] {name} is (used|called|referenced|imported|mentioned)',
    'is [{kind}] {name} [still|ever|even] (used|called|referenced|imported|needed|unused|dead) [at all]',
    'does (anything|anyone|something|code) [still] (use|call|reference|import) [{kind}] {name}',
    'how (often|many times) is [{kind}] {name} (used|called|referenced|imported)',
    '(which|what) files (use|uses|call|calls|import|imports|reference|references) [{kind}] {name}',
    'usages of [{kind}] {name}',
    'references to [{kind}] {name}',
    'callers of [{kind}] {name}',
  ]),
  ...phrases('search', [
    '(search|grep|scan|look|find|rg) [for] (regex|regexp|regular expression|pattern) {regex:text}',
    '(search|grep|scan|look) [files|code] (for|using|with) (regex|regexp|regular expression) {regex:text}',
    '(search|look|scan|hunt|grep) [project|code|files|codebase|repo|everything] for [text|string|word|phrase|term|occurrences of|occurrence of|mentions of|lines containing|lines with|instances of|anything matching] {text}',
    '(grep|rg|ripgrep) [text|string|word|phrase] {text}',
    '(search|search text) [text|string|word|phrase] {text}',
    '(find|show|list|get|count|display|print) [me] [all] (occurrences|occurrence|mentions|instances|appearances|matches|hits) (of|for) [text|string|word|phrase] {text}',
    '(find|show|list|get|count|print) [me] (lines|places|code|spots|parts) (containing|with|that contain|that mention|matching|where|having|that have|that say|mentioning) [text|string|word] {text}',
    `(find|show|list|get|which|what|display) [me] [files] (contain|contains|mention|mentions|include|includes|have|has|say|talk about) [text|string|word|phrase] {text:quoted}`,
    '(which|what) files (contain|contains|mention|mentions|include|includes|have|say) [text|string|word|phrase] {text}',
    `(find|show|list|get|display|search for|search) [me] files ${CONTAINING} [text|string|word|phrase] {text}`,
    'where (does|do|is|are) [text|string|word|phrase] {text} (appear|occur|mentioned|written|show up|come up|said|stand|printed|thrown)',
    'where (do we|do i|does it) (mention|say|write|print|throw|log) {text}',
    'how (often|many times) (does|do|is) [text|string|word|phrase] {text} (appear|occur|mentioned|written|show up|come up)',
    'how many (occurrences|mentions|instances) of [text|string|word|phrase] {text} (are there|exist|do we have)',
    '(find|locate|look up) [text|string|word|phrase|message|error message] {text:quoted}',
    '(find|locate|look up) (text|string|word|phrase|message) {text}',
    '(does|do) [anything|code|we|any file] (contain|mention|include) {text}',
  ]),

  ...phrases('find', [
    '(find|locate|search for|look for|get|where is|open up|look up) [file] {path}',
    'where (is|are|do i find|can i find) [file|files] {path}',
    'is there [a] file [named|called] {named:file}',
    'is there [a] {path} [file]',
    'is there [a] {type} file',
    'do we have [a] [file] [named|called] {path} [file]',
    'does [file] {path} exist',
  ]),

  ...phrases('show', [
    '(show|print|display|cat|open|read|view|see|give|dump|type|output) [me] [file|contents of|content of|contents of file|content of file|text of|source of|code of|whole|complete|full] [file] {path} [file]',
    '(show|print|display|read|view|give) [me] (lines|line) {from:number} (to|-|through|until|and|up to) {to:number} (of|from|in) [file] {path}',
    '(show|print|display|read|view|give) [me] (lines|line) {from:number} (to|-|through|until|up to) {to:number}',
    '(show|print|display|read|view|give) [me] line {from:number} [(of|from|in) [file] {path}]',
    '(show|print|display|read|view|give) [me] [first] {to:number} lines [(of|from|in) [file] {path}]',
    '(show|print|display|read|view|give) [me] first {to:number} lines',
    '(show|print|display|read|view) [me] {path} (lines|line) {from:number} (to|-|through|until) {to:number}',
    'what is [written] in [file] {path}',
    'what does [file] {path} (say|contain|look like)',
    '(show|list|print|display|what is|see|ls|whats) [me] [contents of|content of|tree of|structure of|what is in|everything in] (directory tree|folder tree|file tree|folder|directory|dir|tree) [{path:file}]',
    '(show|list|print|display|ls|see) [me] [contents of|content of|what is in|everything]',
    '(ls|tree|dir) [{path}]',
    'what is [there] [inside]',
    'list [files] {path}',
  ]),

  ...phrases('run', [
    '(run|execute|launch|invoke|call|start|try|do) [command|shell command|following command|following|script|shell|bash] {command:quoted}',
    '(run|execute|launch|invoke|start) [command|shell command|script] {command:quoted} (in|inside|within|from|under) [folder|directory] {cwd:file} [folder|directory]',
    '(run|execute|launch|invoke) (command|shell command|following command|shell|bash) {command:text}',
    '(run|execute|launch|invoke|start) {command:text}',
    'what does {command:quoted} (print|output|say|show|return|give)',
    '$ {command:text}',
  ]),
];

/** Requests that lack something, and what to ask for. */
export const INCOMPLETE: readonly (Phrase & { readonly asks: string; readonly question: string })[] = [
  {
    intent: 'rename',
    says: 'rename [{kind}] {old:name} [{_:kind}]',
    asks: 'new',
    question: 'What should `{old}` be called instead?',
  },
  {
    intent: 'rename',
    says: '(change|update) name of [{kind}] {old:name} [{_:kind}]',
    asks: 'new',
    question: 'What should `{old}` be called instead?',
  },
  {
    intent: 'rename',
    says: 'rename [{kind}|something|it|symbol]',
    asks: 'old',
    question: 'Which name should be changed?',
  },
  {
    intent: 'replace',
    says: '(replace|substitute) [text|string|word] {old:file}',
    asks: 'new',
    question: 'What should `{old}` be replaced with?',
  },
  {
    intent: 'replace',
    says: '(replace|substitute) [text|string|word] {old:quoted}',
    asks: 'new',
    question: 'What should `{old}` be replaced with?',
  },
  {
    intent: 'replace',
    says: '(replace|substitute) [something|text]',
    asks: 'old',
    question: 'Which text should be replaced?',
  },
  {
    intent: 'search',
    says: '(search|grep|look) [for] [something|text|code|files]',
    asks: 'text',
    question: 'What should I search for?',
  },
  {
    intent: 'explain',
    says: '(explain|describe) [{kind}|something|this|it|code]',
    asks: 'name',
    question: 'What should I explain: a file, or the name of a symbol?',
  },
  {
    intent: 'find',
    says: '(find|locate) [file|something|it]',
    asks: 'file',
    question: 'Which files should I find? A name or a glob such as `*.ts` is enough.',
  },
  {
    intent: 'run',
    says: '(run|execute|launch) [command|something|it|this|script]',
    asks: 'command',
    question: 'Which command should I run?',
  },
  {
    intent: 'show',
    says: '(show|open|read|cat|view|print) [file|it|this|something|code]',
    asks: 'path',
    question: 'Which file should I show?',
  },
];
