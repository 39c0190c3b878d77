// Made by `node scripts/generate-builtins.mjs` from packages/plugins/*/*/package.json. Do not edit.
import type { PluginCandidate } from '@tenon/kernel';

/** A plugin that comes with Tenon; its manifest was checked when this table was made. */
export type Builtin = PluginCandidate;

/** Every plugin that comes with Tenon. The code of each is imported on first use. */
export const builtins: readonly Builtin[] = [
  {
    manifest: {
      "id": "agent",
      "kernel": "^1",
      "description": "The agent loop: turns, tools, queues, compaction.",
      "needs": [
        "model-registry",
        "tool-runner"
      ],
      "provides": [
        "agent-factory",
        "live-agents"
      ],
      "defines": {
        "slots": [
          "stream-filters"
        ],
        "services": [
          "agent-factory",
          "live-agents"
        ],
        "hooks": [
          "input",
          "agent.before-start",
          "context",
          "model.request",
          "agent.event",
          "agent.stop",
          "model.select",
          "model.used",
          "session.before-compact",
          "session.compacting",
          "session.compacted",
          "session.start",
          "session.before-switch",
          "session.switch",
          "session.before-branch",
          "session.branch",
          "session.before-tree",
          "session.tree",
          "session.shutdown",
          "user.bash",
          "user.python"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "steeringMode": {
            "type": "string",
            "enum": [
              "one-at-a-time",
              "all"
            ],
            "default": "one-at-a-time",
            "description": "How many steering messages one turn takes."
          },
          "followUpMode": {
            "type": "string",
            "enum": [
              "one-at-a-time",
              "all"
            ],
            "default": "one-at-a-time",
            "description": "How many follow-up messages are taken when the agent would stop."
          },
          "interruptMode": {
            "type": "string",
            "enum": [
              "immediate",
              "wait"
            ],
            "default": "immediate",
            "description": "Whether steering skips the tools of a turn that have not started."
          },
          "repeatLimit": {
            "type": "integer",
            "minimum": 2,
            "default": 3,
            "description": "How often the same call may give the same result before it is pointed out."
          },
          "stopLimit": {
            "type": "integer",
            "minimum": 0,
            "default": 10,
            "description": "How often plugins may make one run go on when the agent would stop."
          },
          "compaction": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "enabled": {
                "type": "boolean",
                "default": true,
                "description": "Whether long conversations are summarized by themselves."
              },
              "reserveTokens": {
                "type": "integer",
                "minimum": 0,
                "default": 16384,
                "description": "Room kept for the answer."
              },
              "keepRecentTokens": {
                "type": "integer",
                "minimum": 0,
                "default": 20000,
                "description": "How much of the end stays word for word."
              },
              "thresholdPercent": {
                "type": "number",
                "default": -1,
                "description": "Part of the context window, in percent, at which to summarize; -1 for the window less the reserve."
              },
              "thresholdTokens": {
                "type": "integer",
                "default": -1,
                "description": "The size, in tokens, at which to make room; goes before thresholdPercent. -1 for none."
              },
              "strategy": {
                "type": "string",
                "enum": [
                  "context-full",
                  "handoff",
                  "off"
                ],
                "default": "context-full",
                "description": "What to do with a conversation that has grown too long: summarize its older part, hand over to a new session, or nothing."
              },
              "handoffSaveToDisk": {
                "type": "boolean",
                "default": false,
                "description": "Whether a handover that happens by itself is also written to a file beside the session."
              },
              "prune": {
                "type": "boolean",
                "default": true,
                "description": "Whether the output of old tool calls is taken out of a conversation that has grown too long, before anything else."
              },
              "pruneProtectTokens": {
                "type": "integer",
                "minimum": 0,
                "default": 40000,
                "description": "So many tokens of the newest tool output always stay."
              },
              "pruneMinimumTokens": {
                "type": "integer",
                "minimum": 0,
                "default": 20000,
                "description": "Output is taken out only when that saves at least so many tokens."
              },
              "promoteTo": {
                "type": "array",
                "items": {
                  "type": "string"
                },
                "default": [],
                "description": "Models with a bigger context window that go on with a conversation that has outgrown its model, in order of preference; tried before anything is summarized."
              },
              "idleMinutes": {
                "type": "number",
                "minimum": 0,
                "default": 0,
                "description": "After how many minutes without work a long conversation is summarized; 0 for never."
              },
              "idleThresholdPercent": {
                "type": "number",
                "exclusiveMinimum": 0,
                "maximum": 100,
                "default": 50,
                "description": "Part of the context window, in percent, from which on an idle conversation is summarized."
              }
            },
            "default": {}
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/agent/agent/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.agent),
  },
  {
    manifest: {
      "id": "jobs",
      "kernel": "^1",
      "description": "Work that goes on while the conversation does: background jobs and the tool `job`.",
      "contributes": {
        "tools": {
          "job": {
            "summary": "Watch and stop background jobs",
            "risk": "read"
          }
        }
      },
      "handles": [
        "session.shutdown",
        "session.switch"
      ],
      "needs": [
        "folders"
      ],
      "provides": [
        "jobs"
      ],
      "defines": {
        "services": [
          "jobs"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "maxRunning": {
            "type": "integer",
            "minimum": 1,
            "maximum": 100,
            "default": 15,
            "description": "How many background jobs a session may run at the same time."
          },
          "keepMinutes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 1440,
            "default": 30,
            "description": "How long the result of a job that has ended can still be asked for."
          },
          "pollSeconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 300,
            "default": 30,
            "description": "How long the tool job waits for a job to end."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/agent/jobs/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.jobs),
  },
  {
    manifest: {
      "id": "session-export",
      "kernel": "^1",
      "description": "Sessions for people: lists, shows, copies and removes them, and turns one into a page of HTML.",
      "needs": [
        "session-store"
      ],
      "provides": [
        "session-exporter"
      ],
      "defines": {
        "services": [
          "session-exporter"
        ]
      },
      "contributes": {
        "cli-commands": {
          "session list": {
            "summary": "List sessions",
            "group": "Sessions",
            "json": true,
            "flags": {
              "all": {
                "type": "boolean",
                "summary": "Of all folders, not only of this one"
              },
              "limit": {
                "type": "string",
                "placeholder": "N",
                "summary": "How many at most",
                "default": "20"
              }
            },
            "examples": [
              {
                "command": "tenon session list --all --json",
                "summary": "All sessions, for a program"
              }
            ]
          },
          "session show": {
            "summary": "Print a session",
            "group": "Sessions",
            "json": true,
            "description": "Prints the active branch. With --tree it shows where the conversation was taken up again at an earlier point.",
            "arguments": [
              {
                "name": "session",
                "summary": "Its id, the first letters of it, or a file",
                "required": true
              }
            ],
            "flags": {
              "tree": {
                "type": "boolean",
                "summary": "Show all branches, one line for each entry"
              }
            }
          },
          "session tree": {
            "summary": "Show the branches of a session",
            "group": "Sessions",
            "json": true,
            "description": "One line for each entry: `*` marks the active branch, and a label stands before the text. The id in front is what `session fork --at` and `session label` take.",
            "arguments": [
              {
                "name": "session",
                "summary": "Its id, the first letters of it, or a file",
                "required": true
              }
            ],
            "examples": [
              {
                "command": "tenon session tree 3f2a",
                "summary": "Where the conversation was taken up again"
              }
            ]
          },
          "session export": {
            "summary": "Turn a session into a page of HTML",
            "group": "Sessions",
            "description": "The page needs no network and no other file. It shows all branches, folds tools and colours differences.",
            "arguments": [
              {
                "name": "session",
                "summary": "Its id, the first letters of it, or a file",
                "required": true
              },
              {
                "name": "file",
                "summary": "Where to write the page; - for standard output",
                "complete": "files"
              }
            ],
            "examples": [
              {
                "command": "tenon session export 3f2a",
                "summary": "Writes tenon-session-3f2a….html here"
              }
            ],
            "json": true
          },
          "session fork": {
            "summary": "Copy a session",
            "group": "Sessions",
            "json": true,
            "arguments": [
              {
                "name": "session",
                "summary": "Its id, the first letters of it, or a file",
                "required": true
              }
            ],
            "flags": {
              "at": {
                "type": "string",
                "placeholder": "ENTRY",
                "summary": "Copy only what led to this entry"
              }
            }
          },
          "session label": {
            "summary": "Give an entry of a session a label",
            "group": "Sessions",
            "json": true,
            "description": "Without a label the one that is there is taken away.",
            "arguments": [
              {
                "name": "session",
                "summary": "Its id, the first letters of it, or a file",
                "required": true
              },
              {
                "name": "entry",
                "summary": "The id of an entry, as `tenon session tree` shows it",
                "required": true
              },
              {
                "name": "label",
                "summary": "The label",
                "required": false
              }
            ],
            "examples": [
              {
                "command": "tenon session label 3f2a 9c41d0aa \"before the rewrite\"",
                "summary": "Marks a place to come back to"
              }
            ]
          },
          "session rename": {
            "summary": "Give a session a title",
            "group": "Sessions",
            "json": true,
            "arguments": [
              {
                "name": "session",
                "summary": "Its id, the first letters of it, or a file",
                "required": true
              },
              {
                "name": "title",
                "summary": "The new title",
                "required": true
              }
            ]
          },
          "session remove": {
            "summary": "Remove a session and what it kept",
            "group": "Sessions",
            "arguments": [
              {
                "name": "session",
                "summary": "Its id, the first letters of it, or a file",
                "required": true
              }
            ],
            "flags": {
              "yes": {
                "type": "boolean",
                "summary": "Do not ask",
                "short": "y"
              }
            },
            "json": true
          },
          "history": {
            "summary": "Find what you asked before",
            "group": "Sessions",
            "json": true,
            "description": "Lists prompts, the newest first: those that hold all the words, or words that begin so. Secrets in them are masked. `tenon config set sessions.history false` turns recording off.",
            "arguments": [
              {
                "name": "words",
                "summary": "What to look for",
                "variadic": true
              }
            ],
            "flags": {
              "limit": {
                "type": "string",
                "placeholder": "N",
                "summary": "How many at most",
                "default": "20"
              },
              "here": {
                "type": "boolean",
                "summary": "Only what was asked in this folder"
              },
              "clear": {
                "type": "boolean",
                "summary": "Forget everything that was asked"
              },
              "yes": {
                "type": "boolean",
                "summary": "With --clear: do not ask",
                "short": "y"
              }
            },
            "examples": [
              {
                "command": "tenon history parser test",
                "summary": "Prompts about tests of the parser"
              }
            ]
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/agent/session-export/package.json",
    checked: true,
    load: () => import("@tenon/session-export").then((module) => module.default),
  },
  {
    manifest: {
      "id": "sessions",
      "kernel": "^1",
      "description": "Durable sessions: append-only JSONL trees, content-addressed blobs, artifacts, prompt history.",
      "needs": [
        "folders"
      ],
      "provides": [
        "session-store",
        "prompt-history"
      ],
      "defines": {
        "services": [
          "session-store",
          "prompt-history"
        ],
        "hooks": [
          "session.persist"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "fsync": {
            "type": "string",
            "enum": [
              "always",
              "turn",
              "never"
            ],
            "default": "turn",
            "description": "When written entries are forced to the disk: after each, before each model call and at the end of a turn, or never."
          },
          "history": {
            "type": "boolean",
            "default": true,
            "description": "Whether prompts are remembered for recall and `tenon history`. Secrets in them are masked."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/agent/sessions/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.sessions),
  },
  {
    manifest: {
      "id": "urls",
      "kernel": "^1",
      "description": "Addresses like artifact://3 or db://users/42: who owns a scheme, reading and writing through it, and the schemes of this machine.",
      "contributes": {
        "url-schemes": {
          "artifact": {
            "description": "Full outputs of tools, by number; artifact:// lists them.",
            "immutable": true
          },
          "agent": {
            "description": "What agents and jobs gave back; /path and ?q= take parts out of JSON.",
            "immutable": true
          },
          "local": {
            "description": "Scratch files of this session.",
            "writable": true
          },
          "plan": {
            "description": "The plan of this session.",
            "writable": true
          },
          "docs": {
            "description": "Tenon's own documentation; docs://?q=WORDS searches it.",
            "immutable": true
          },
          "memory": {
            "description": "Markdown files with what is worth knowing about this project.",
            "writable": true
          }
        },
        "cli-commands": {
          "url list": {
            "summary": "List the schemes of addresses that can be read and written",
            "group": "Tools",
            "json": true
          },
          "url read": {
            "summary": "Read what stands behind an address",
            "group": "Tools",
            "json": true,
            "arguments": [
              {
                "name": "url",
                "summary": "The address",
                "required": true
              }
            ],
            "flags": {
              "session": {
                "type": "string",
                "short": "s",
                "summary": "The session whose files are meant: an id, or `last` for the newest one of this folder",
                "placeholder": "ID"
              },
              "raw": {
                "type": "boolean",
                "summary": "As it is, not made readable"
              }
            },
            "examples": [
              {
                "command": "tenon url read docs://",
                "summary": "List the pages of the documentation"
              },
              {
                "command": "tenon url read 'docs://?q=plugin settings'",
                "summary": "Search the documentation"
              },
              {
                "command": "tenon url read artifact://3 --session last",
                "summary": "Show a full output of the last session"
              }
            ]
          },
          "url write": {
            "summary": "Write to an address",
            "group": "Tools",
            "json": true,
            "description": "The text comes from --text, --from FILE or standard input, and replaces what is there.",
            "arguments": [
              {
                "name": "url",
                "summary": "The address",
                "required": true
              }
            ],
            "flags": {
              "text": {
                "type": "string",
                "short": "t",
                "summary": "The text",
                "placeholder": "TEXT"
              },
              "from": {
                "type": "string",
                "short": "f",
                "summary": "A file with the text",
                "placeholder": "FILE"
              },
              "session": {
                "type": "string",
                "short": "s",
                "summary": "The session whose files are meant: an id, or `last` for the newest one of this folder",
                "placeholder": "ID"
              }
            },
            "examples": [
              {
                "command": "tenon url write memory://build.md --text '# Build with make release'",
                "summary": "Remember something about this project"
              }
            ]
          }
        }
      },
      "provides": [
        "url-router",
        "agent-outputs"
      ],
      "defines": {
        "slots": [
          "url-schemes"
        ],
        "services": [
          "url-router",
          "agent-outputs"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/agent/urls/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.urls),
  },
  {
    manifest: {
      "id": "usage",
      "kernel": "^1",
      "description": "A ledger of tokens and cost per call, session, model and project, and `tenon stats` to read it.",
      "needs": [
        "folders"
      ],
      "handles": [
        "model.used"
      ],
      "contributes": {
        "cli-commands": {
          "stats": {
            "summary": "Show what models used: tokens and cost",
            "group": "Sessions",
            "json": true,
            "flags": {
              "since": {
                "type": "string",
                "placeholder": "TIME",
                "summary": "From this day on, or the last days: 2026-11-01, 7d, 24h"
              },
              "by": {
                "type": "string",
                "placeholder": "WHAT",
                "summary": "Only this table",
                "choices": [
                  "model",
                  "project",
                  "session",
                  "day"
                ]
              },
              "here": {
                "type": "boolean",
                "summary": "Only of this folder"
              }
            },
            "examples": [
              {
                "command": "tenon stats --since 7d",
                "summary": "The last week"
              },
              {
                "command": "tenon stats --by project --json",
                "summary": "For a program"
              }
            ]
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/agent/usage/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.usage),
  },
  {
    manifest: {
      "id": "context-files",
      "kernel": "^1",
      "description": "AGENTS.md, CLAUDE.md and their like in the system prompt.",
      "needs": [
        "discovery",
        "folders"
      ],
      "handles": [
        "agent.before-start",
        "session.compacted",
        "session.shutdown"
      ],
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "default": {},
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "description": "Whether AGENTS.md, CLAUDE.md and their like go into the system prompt."
          },
          "maxChars": {
            "type": "integer",
            "minimum": 0,
            "default": 60000,
            "description": "How many characters of them at most; the files nearest to the working folder get their share first."
          },
          "maxListed": {
            "type": "integer",
            "minimum": 0,
            "default": 40,
            "description": "How many instructions for some files only (applyTo) are listed at most."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/context-files/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.contextFiles),
  },
  {
    manifest: {
      "id": "discovery",
      "kernel": "^1",
      "description": "Finds what users have for Claude Code, Codex, Gemini, Cursor and others: skills, rules, commands, hooks, MCP servers.",
      "contributes": {
        "cli-commands": {
          "discover": {
            "summary": "List what Tenon finds of other tools and its own",
            "group": "Plugins",
            "json": true,
            "description": "Skills, rules, commands, hooks, MCP servers and more, each with the tool it was written for, whose it is, and its file.\n\nNothing that is listed was run. What is broken is named at the end, each once.",
            "arguments": [
              {
                "name": "kind",
                "summary": "Only this kind: skills, rules, commands, mcp-servers…"
              }
            ],
            "flags": {
              "family": {
                "type": "string",
                "summary": "Only what this tool's files say",
                "placeholder": "NAME"
              },
              "all": {
                "type": "boolean",
                "summary": "Also what is not used, and why"
              }
            },
            "examples": [
              {
                "command": "tenon discover skills --all",
                "summary": "All skills, those that are shadowed too"
              },
              {
                "command": "tenon discover --family claude",
                "summary": "What was written for Claude Code"
              }
            ]
          }
        }
      },
      "needs": [
        "folders"
      ],
      "provides": [
        "discovery",
        "source-files"
      ],
      "sources": [
        "context-files",
        "skills",
        "rules",
        "commands",
        "prompts",
        "instructions",
        "external-hooks",
        "hook-modules",
        "tool-modules",
        "agents",
        "mcp-servers",
        "lsp-servers",
        "extension-modules",
        "foreign-settings",
        "ssh-hosts",
        "themes",
        "bundles",
        "discovery-denials"
      ],
      "defines": {
        "services": [
          "discovery",
          "source-files"
        ],
        "slots": [
          "context-files",
          "skills",
          "rules",
          "commands",
          "prompts",
          "instructions",
          "external-hooks",
          "hook-modules",
          "tool-modules",
          "agents",
          "mcp-servers",
          "lsp-servers",
          "extension-modules",
          "foreign-settings",
          "ssh-hosts",
          "themes",
          "bundles",
          "discovery-denials"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "default": {},
        "properties": {
          "families": {
            "type": "object",
            "x-scope": "user",
            "default": {},
            "description": "Which tools' files are used, by family (claude, codex, gemini…; `tenon discover` names them).",
            "additionalProperties": {
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "enabled": {
                  "type": "boolean",
                  "description": "False: nothing of this family."
                },
                "user": {
                  "type": "boolean",
                  "description": "False: nothing of its files in the home folder."
                },
                "project": {
                  "type": "boolean",
                  "description": "False: nothing of its files in projects."
                },
                "kinds": {
                  "type": "object",
                  "additionalProperties": {
                    "type": "boolean"
                  },
                  "description": "False for a kind (skills, mcp-servers…): none of these."
                }
              }
            }
          },
          "disabled": {
            "type": "array",
            "x-scope": "user",
            "items": {
              "type": "string"
            },
            "default": [],
            "description": "Single things that are not used: \"skill:name\", \"mcp:name\", \"command:name\", \"bundle:name\"… `*` stands for any letters."
          },
          "contextFiles": {
            "type": "string",
            "enum": [
              "distinct",
              "first"
            ],
            "default": "distinct",
            "description": "Where a folder has several of CLAUDE.md, AGENTS.md and their like: all that say something new, or the first alone."
          },
          "skills": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "include": {
                "type": "array",
                "items": {
                  "type": "string"
                },
                "default": [],
                "description": "Only these skills, if there are some here; `*` stands for any letters."
              },
              "ignore": {
                "type": "array",
                "items": {
                  "type": "string"
                },
                "default": [],
                "description": "Not these skills; `*` stands for any letters."
              },
              "folders": {
                "type": "array",
                "x-scope": "user",
                "items": {
                  "type": "string"
                },
                "default": [],
                "description": "More folders with skills, each in a folder of its own with a SKILL.md."
              }
            }
          },
          "recheckMs": {
            "type": "integer",
            "minimum": 0,
            "default": 2000,
            "description": "For how many milliseconds what was found counts before the files are looked at again."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/discovery/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.discovery),
  },
  {
    manifest: {
      "id": "external-hooks",
      "kernel": "^1",
      "description": "Runs the hooks that users have for Claude Code, Codex, Gemini CLI and Cursor.",
      "contributes": {
        "cli-commands": {
          "hooks list": {
            "summary": "List the hooks of other tools that run here",
            "group": "Ecosystem",
            "json": true,
            "description": "Hooks of Claude Code, Codex, Gemini CLI and Cursor, and of their plugins: when each runs, what it runs, which file it comes from, and whether it may run. Nothing is run."
          },
          "hooks test": {
            "summary": "Run the hooks of an event with an example",
            "group": "Ecosystem",
            "json": true,
            "description": "Runs every hook of the event that fits, as in a session, and shows exit code, output and what Tenon makes of it. The hooks of a project run only where the folder is trusted. The exit code is 1 when the hooks would refuse.",
            "arguments": [
              {
                "name": "event",
                "summary": "As its tool spells it: PreToolUse, BeforeTool, beforeShellExecution…",
                "required": true
              }
            ],
            "flags": {
              "input": {
                "type": "string",
                "short": "i",
                "placeholder": "JSON",
                "summary": "Fields that take the place of the example's"
              }
            },
            "examples": [
              {
                "command": "tenon hooks test PreToolUse",
                "summary": "With `echo hello` as the command"
              },
              {
                "command": "tenon hooks test PreToolUse -i '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"rm -rf /\"}}'",
                "summary": "Would this be refused?"
              }
            ]
          },
          "hooks setup": {
            "summary": "Run the hooks that prepare a project",
            "group": "Ecosystem",
            "json": true,
            "description": "Claude Code runs hooks for the event Setup with --init and --maintenance; this does the same.",
            "flags": {
              "maintenance": {
                "type": "boolean",
                "summary": "For regular upkeep instead of the first time"
              }
            }
          }
        }
      },
      "handles": [
        "agent.before-start",
        "agent.stop",
        "context",
        "input",
        "model.request",
        "session.before-compact",
        "session.compacted",
        "session.shutdown",
        "session.start",
        "session.switch",
        "tool.call",
        "tool.input",
        "tool.permission",
        "tool.result"
      ],
      "needs": [
        "folders"
      ],
      "provides": [
        "hook-events"
      ],
      "defines": {
        "services": [
          "hook-events"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "description": "Whether the hooks of other tools run."
          },
          "timeoutSeconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 3600,
            "default": 60,
            "description": "How long a hook may take that says nothing about it. Then it and all that it started is stopped."
          },
          "mayAllow": {
            "type": "boolean",
            "default": true,
            "description": "Whether a hook that allows a call spares the user the question. What the policy denies stays denied."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/external-hooks/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.externalHooks),
  },
  {
    manifest: {
      "id": "marketplace",
      "kernel": "^1",
      "description": "Installs plugins from marketplaces, pinned and made sure of, and offers them to discovery and to packs.",
      "contributes": {
        "cli-commands": {
          "marketplace add": {
            "summary": "Add a marketplace",
            "group": "Plugins",
            "json": true,
            "description": "A marketplace is a git repository, a folder or a JSON file with a catalogue of plugins, in the format that Claude Code uses (.claude-plugin/marketplace.json). Adding one installs nothing.",
            "arguments": [
              {
                "name": "source",
                "summary": "OWNER/REPO, an https or ssh address of a repository, the address of a .json file, or a folder; #BRANCH may follow a repository",
                "required": true,
                "complete": "folders"
              }
            ],
            "flags": {
              "scope": {
                "type": "string",
                "summary": "For you everywhere, or for this project (kept in .tenon)",
                "choices": [
                  "user",
                  "project"
                ],
                "placeholder": "SCOPE",
                "default": "user"
              },
              "key": {
                "type": "string",
                "summary": "The minisign key that its catalogue must be signed with",
                "placeholder": "RW…"
              },
              "offline": {
                "type": "boolean",
                "summary": "Use only what was fetched before"
              }
            },
            "examples": [
              {
                "command": "tenon marketplace add acme/agent-plugins",
                "summary": "From a repository on GitHub"
              },
              {
                "command": "tenon marketplace add ./plugins --scope project",
                "summary": "A folder of this project, for everybody who works on it"
              }
            ]
          },
          "marketplace remove": {
            "summary": "Forget a marketplace",
            "group": "Plugins",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "Its name",
                "required": true
              }
            ],
            "flags": {
              "force": {
                "type": "boolean",
                "summary": "Also when plugins of it are installed; they stay, without updates"
              }
            }
          },
          "marketplace update": {
            "summary": "Fetch catalogues again",
            "group": "Plugins",
            "json": true,
            "description": "Installed plugins stay as they are; `tenon plugin upgrade` changes them.",
            "arguments": [
              {
                "name": "name",
                "summary": "The marketplace; all if absent"
              }
            ]
          },
          "marketplace list": {
            "summary": "List the marketplaces",
            "group": "Plugins",
            "json": true
          },
          "plugin discover": {
            "summary": "Find plugins in the marketplaces",
            "group": "Plugins",
            "json": true,
            "description": "Reads the catalogues as they were last fetched; needs no network.",
            "arguments": [
              {
                "name": "query",
                "summary": "A word in its name, description, category or tags"
              }
            ],
            "flags": {
              "marketplace": {
                "type": "string",
                "short": "m",
                "summary": "Only this marketplace",
                "placeholder": "NAME"
              }
            }
          },
          "plugin install": {
            "summary": "Install plugins from a marketplace",
            "group": "Plugins",
            "json": true,
            "description": "Fetches the plugin, shows where it comes from, what it brings, which commands, servers and programs it would run and what it may do, and asks. Nothing of it runs while it is installed, and no install script ever does.\n\nWhat is installed is pinned in a lock file with a fingerprint of its files, which is checked every time it is used.\n\nWith --restore, brings back what the lock files list (yours and the project's) and is missing or damaged, at exactly the locked state.",
            "arguments": [
              {
                "name": "plugins",
                "summary": "NAME@MARKETPLACE, or NAME if only one marketplace has it",
                "variadic": true
              }
            ],
            "flags": {
              "scope": {
                "type": "string",
                "summary": "For you everywhere, or for this project (kept in .tenon)",
                "choices": [
                  "user",
                  "project"
                ],
                "placeholder": "SCOPE"
              },
              "yes": {
                "type": "boolean",
                "short": "y",
                "summary": "Do not ask; not enough where something new gets to run"
              },
              "accept-permissions": {
                "type": "boolean",
                "summary": "Do not ask, and accept everything that it runs and may do; needed where nobody can answer"
              },
              "dry-run": {
                "type": "boolean",
                "short": "n",
                "summary": "Show what it brings and could do, and change nothing"
              },
              "force": {
                "type": "boolean",
                "summary": "Install again what is installed"
              },
              "restore": {
                "type": "boolean",
                "summary": "Bring back what the lock files list"
              },
              "offline": {
                "type": "boolean",
                "summary": "Use only what was fetched before"
              }
            },
            "examples": [
              {
                "command": "tenon plugin install code-review@acme",
                "summary": "For you, in all projects"
              },
              {
                "command": "tenon plugin install code-review@acme --scope project",
                "summary": "For everybody who works on this project"
              },
              {
                "command": "tenon plugin install --restore",
                "summary": "After cloning a project that uses plugins"
              }
            ]
          },
          "plugin uninstall": {
            "summary": "Remove a plugin of a marketplace",
            "group": "Plugins",
            "json": true,
            "arguments": [
              {
                "name": "plugin",
                "summary": "NAME@MARKETPLACE",
                "required": true
              }
            ],
            "flags": {
              "scope": {
                "type": "string",
                "summary": "Where it is installed; the project first if absent",
                "choices": [
                  "user",
                  "project"
                ],
                "placeholder": "SCOPE"
              }
            }
          },
          "plugin upgrade": {
            "summary": "Bring plugins up to date",
            "group": "Plugins",
            "json": true,
            "description": "Fetches the catalogues, shows how the new version differs in what it runs and may do, and asks again when anything is new. The version before is kept for `tenon plugin rollback`.",
            "arguments": [
              {
                "name": "plugins",
                "summary": "NAME@MARKETPLACE; all if absent",
                "variadic": true
              }
            ],
            "flags": {
              "scope": {
                "type": "string",
                "summary": "Only this scope; both if absent",
                "choices": [
                  "user",
                  "project"
                ],
                "placeholder": "SCOPE"
              },
              "yes": {
                "type": "boolean",
                "short": "y",
                "summary": "Do not ask; not enough where something new gets to run"
              },
              "accept-permissions": {
                "type": "boolean",
                "summary": "Do not ask, and accept everything that it runs and may do; needed where nobody can answer"
              },
              "dry-run": {
                "type": "boolean",
                "short": "n",
                "summary": "Show what it brings and could do, and change nothing"
              },
              "offline": {
                "type": "boolean",
                "summary": "Use only what was fetched before"
              }
            }
          },
          "plugin outdated": {
            "summary": "List plugins that have newer versions",
            "group": "Plugins",
            "json": true,
            "description": "The exit code is 1 when there are some.",
            "flags": {
              "scope": {
                "type": "string",
                "summary": "Only this scope; both if absent",
                "choices": [
                  "user",
                  "project"
                ],
                "placeholder": "SCOPE"
              },
              "offline": {
                "type": "boolean",
                "summary": "Use only what was fetched before"
              }
            }
          },
          "plugin installed": {
            "summary": "List what was installed from marketplaces",
            "group": "Plugins",
            "json": true,
            "flags": {
              "scope": {
                "type": "string",
                "summary": "Only this scope; both if absent",
                "choices": [
                  "user",
                  "project"
                ],
                "placeholder": "SCOPE"
              }
            }
          },
          "plugin verify": {
            "summary": "Check every file of installed plugins",
            "group": "Plugins",
            "json": true,
            "description": "Compares each file with what was installed. The exit code is 1 when one is different, missing or new.",
            "arguments": [
              {
                "name": "plugins",
                "summary": "NAME@MARKETPLACE; all if absent",
                "variadic": true
              }
            ]
          },
          "plugin rollback": {
            "summary": "Go back to the version before an upgrade",
            "group": "Plugins",
            "json": true,
            "description": "One version is kept. Going back a second time comes forward again.",
            "arguments": [
              {
                "name": "plugin",
                "summary": "NAME@MARKETPLACE",
                "required": true
              }
            ],
            "flags": {
              "scope": {
                "type": "string",
                "summary": "Where it is installed; the project first if absent",
                "choices": [
                  "user",
                  "project"
                ],
                "placeholder": "SCOPE"
              }
            }
          },
          "plugin hash": {
            "summary": "Show the fingerprint of a plugin, for signing",
            "group": "Plugins",
            "json": true,
            "description": "Authors sign this text with minisign and put the signature into .claude-plugin/plugin.minisig and their key into .claude-plugin/plugin.pub.",
            "arguments": [
              {
                "name": "dir",
                "summary": "Folder of the plugin; the current one if absent",
                "complete": "folders"
              }
            ]
          }
        },
        "doctor-checks": {
          "marketplace": {
            "title": "Marketplaces",
            "order": 62
          }
        }
      },
      "sources": [
        "bundles"
      ],
      "needs": [
        "folders"
      ],
      "provides": [
        "marketplace-plugins"
      ],
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "default": {},
        "properties": {
          "githubUrl": {
            "type": "string",
            "pattern": "^https?://",
            "default": "https://github.com",
            "x-scope": "user",
            "description": "Where OWNER/REPO is: the address that it is appended to."
          },
          "maxMegabytes": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 4096,
            "default": 100,
            "x-scope": "user",
            "description": "How large a plugin may be when unpacked."
          },
          "maxFiles": {
            "type": "integer",
            "minimum": 1,
            "maximum": 200000,
            "default": 10000,
            "x-scope": "user",
            "description": "How many files a plugin may have."
          },
          "maxRepositoryMegabytes": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 65536,
            "default": 1024,
            "x-scope": "user",
            "description": "How large a repository may be that catalogues and plugins are read from."
          },
          "timeoutSeconds": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 3600,
            "default": 120,
            "x-scope": "user",
            "description": "How long fetching a file may take."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/marketplace/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.marketplace),
  },
  {
    manifest: {
      "id": "mcp",
      "kernel": "^1",
      "description": "MCP client: tools, resources and prompts of MCP servers, started in parallel and never waited for.",
      "contributes": {
        "cli-commands": {
          "mcp list": {
            "summary": "List the MCP servers of this folder",
            "group": "MCP",
            "json": true,
            "description": "Shows servers of every source, what they are known to offer, and why one is not used. Nothing is started unless --check is given; servers of a project that is not trusted are never started.",
            "flags": {
              "check": {
                "type": "boolean",
                "summary": "Start them all and say how they are"
              }
            }
          },
          "mcp add": {
            "summary": "Add an MCP server",
            "group": "MCP",
            "json": true,
            "description": "A URL makes a remote server; what follows `--` is a command that is started on this machine.\n\nThe server is added to your own file, and with --project to .tenon/mcp.json of the project. A value that is the name of an environment variable stands for its content, and one that begins with ! for what the command prints, so that no secret has to be written down.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              },
              {
                "name": "target",
                "summary": "URL, or the command and its arguments after --",
                "variadic": true
              }
            ],
            "flags": {
              "project": {
                "type": "boolean",
                "summary": "For this project instead of everywhere"
              },
              "transport": {
                "type": "string",
                "summary": "How to speak with it",
                "choices": [
                  "stdio",
                  "http",
                  "sse"
                ]
              },
              "env": {
                "type": "string",
                "short": "e",
                "multiple": true,
                "summary": "Environment variable of the command",
                "placeholder": "NAME=VALUE"
              },
              "header": {
                "type": "string",
                "multiple": true,
                "summary": "Header of every request",
                "placeholder": "NAME: VALUE"
              },
              "folder": {
                "type": "string",
                "summary": "Folder that the command runs in",
                "placeholder": "FOLDER",
                "complete": "folders"
              },
              "timeout": {
                "type": "string",
                "summary": "How long it may take to connect",
                "placeholder": "MS"
              },
              "client-id": {
                "type": "string",
                "summary": "OAuth client, where the server registers none by itself",
                "placeholder": "ID"
              },
              "client-secret": {
                "type": "string",
                "summary": "Its secret, or the name of a variable in braces: ${NAME}",
                "placeholder": "SECRET"
              },
              "callback-port": {
                "type": "string",
                "summary": "Port of this machine to which logins come back",
                "placeholder": "PORT"
              },
              "force": {
                "type": "boolean",
                "summary": "Replace a server of the same name"
              }
            },
            "examples": [
              {
                "command": "tenon mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
                "summary": "A server that is a program"
              },
              {
                "command": "tenon mcp add docs https://example.com/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'",
                "summary": "A remote one"
              }
            ]
          },
          "mcp remove": {
            "summary": "Remove an MCP server from Tenon's own files",
            "group": "MCP",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              }
            ]
          },
          "mcp enable": {
            "summary": "Switch an MCP server on",
            "group": "MCP",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              }
            ]
          },
          "mcp disable": {
            "summary": "Switch an MCP server off",
            "group": "MCP",
            "json": true,
            "description": "A server of another tool's file is switched off for Tenon only; the file stays as it is.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              }
            ]
          },
          "mcp test": {
            "summary": "Start MCP servers and show what they offer",
            "group": "MCP",
            "json": true,
            "description": "The exit code is 1 when one cannot be used.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server; all if absent"
              }
            ]
          },
          "mcp reconnect": {
            "summary": "Forget what is known about an MCP server and connect anew",
            "group": "MCP",
            "json": true,
            "description": "The tools that were remembered are dropped and asked for again.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              }
            ]
          },
          "mcp resources": {
            "summary": "List the resources of MCP servers",
            "group": "MCP",
            "json": true,
            "description": "Each can be read by its address: `tenon read mcp://SERVER/URI`.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server; all if absent"
              }
            ]
          },
          "mcp prompts": {
            "summary": "List the prompts of MCP servers",
            "group": "MCP",
            "json": true,
            "description": "Each is a command in a conversation.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server; all if absent"
              }
            ]
          },
          "mcp logs": {
            "summary": "Show what an MCP server printed",
            "group": "MCP",
            "json": true,
            "description": "The newest lines of its standard error, its log messages, and what happened to the connection.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              }
            ],
            "flags": {
              "lines": {
                "type": "string",
                "short": "n",
                "summary": "How many lines",
                "placeholder": "N",
                "default": "50"
              }
            }
          },
          "mcp login": {
            "summary": "Log in at a remote MCP server",
            "group": "MCP",
            "json": true,
            "description": "Opens a login in your browser. The tokens are kept with your other credentials, encrypted, and renewed by themselves.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              }
            ]
          },
          "mcp logout": {
            "summary": "Forget the login at an MCP server",
            "group": "MCP",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              }
            ]
          },
          "mcp call": {
            "summary": "Call one tool of an MCP server",
            "group": "MCP",
            "json": true,
            "description": "Approval, policy and output limits hold as in a conversation. The exit code is 1 when the tool failed or was refused.",
            "arguments": [
              {
                "name": "name",
                "summary": "The server",
                "required": true
              },
              {
                "name": "tool",
                "summary": "The tool, as the server calls it",
                "required": true
              }
            ],
            "flags": {
              "input": {
                "type": "string",
                "short": "i",
                "summary": "JSON object, or @FILE",
                "placeholder": "JSON",
                "default": "{}"
              }
            },
            "examples": [
              {
                "command": "tenon mcp call files list_directory --input '{\"path\": \".\"}'",
                "summary": "One call by hand"
              }
            ]
          }
        },
        "tool-sources": {
          "mcp": {}
        },
        "tools": {
          "*": {
            "summary": "Tools of MCP servers"
          }
        },
        "commands": {
          "*": {}
        },
        "url-schemes": {
          "mcp": {
            "description": "Resources of MCP servers: mcp://SERVER/URI; mcp://SERVER lists them."
          }
        }
      },
      "handles": [
        "input",
        "agent.before-start",
        "session.shutdown"
      ],
      "needs": [
        "folders"
      ],
      "provides": [
        "mcp-hub"
      ],
      "defines": {
        "services": [
          "mcp-hub"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "description": "Whether MCP servers are used."
          },
          "projectServers": {
            "type": "boolean",
            "default": true,
            "description": "Whether servers that a project brings along are used, where the project is trusted."
          },
          "startupBudgetMs": {
            "type": "integer",
            "minimum": 0,
            "default": 250,
            "description": "How long the first prompt waits for servers of which nothing is known yet, in milliseconds."
          },
          "startup": {
            "type": "string",
            "enum": [
              "parallel",
              "on-demand"
            ],
            "default": "parallel",
            "description": "Whether servers whose tools are known from the last time are started in the background, or by the first call of a tool."
          },
          "directTools": {
            "type": "integer",
            "minimum": 0,
            "default": 8,
            "description": "Up to so many tools of all servers together are offered from the start, as far as the budget for tools allows; when there are more, they are found by search."
          },
          "instructionTokens": {
            "type": "integer",
            "minimum": 0,
            "default": 400,
            "description": "How many tokens of a prompt may go to what servers say about themselves."
          },
          "connectTimeoutMs": {
            "type": "integer",
            "minimum": 100,
            "default": 30000,
            "description": "How long a server may take to connect, in milliseconds, unless its configuration says otherwise."
          },
          "toolTimeoutMs": {
            "type": "integer",
            "minimum": 1000,
            "default": 120000,
            "description": "How long a call may take without a sign of progress, in milliseconds."
          },
          "maxOutputBytes": {
            "type": "integer",
            "minimum": 1000,
            "default": 50000,
            "description": "How much text of one result goes into the conversation; the whole is kept as an artifact."
          },
          "sampling": {
            "type": "string",
            "enum": [
              "ask",
              "allow",
              "deny"
            ],
            "default": "ask",
            "description": "Whether servers may ask your models for answers."
          },
          "elicitation": {
            "type": "boolean",
            "default": true,
            "description": "Whether servers may ask you questions."
          },
          "inheritEnv": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "default": [],
            "description": "Environment variables that servers on this machine get, beside those that every program needs."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/mcp/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.mcp),
  },
  {
    manifest: {
      "id": "pack-host",
      "kernel": "^1",
      "description": "Runs third-party packs out of process, under the operating system's sandbox.",
      "needs": [
        "installed-plugins"
      ],
      "provides": [
        "pack-hosts"
      ],
      "defines": {
        "services": [
          "pack-hosts"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "memoryMb": {
            "type": "integer",
            "minimum": 64,
            "maximum": 65536,
            "default": 512,
            "x-scope": "user",
            "description": "Memory that one pack may use, in megabytes. A pack that wants more is stopped."
          },
          "startSeconds": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 600,
            "default": 20,
            "x-scope": "user",
            "description": "How long a pack may take to start."
          },
          "callSeconds": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 86400,
            "default": 600,
            "x-scope": "user",
            "description": "How long one call into a pack may take; hooks have shorter deadlines of their own."
          },
          "hangSeconds": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 600,
            "default": 10,
            "x-scope": "user",
            "description": "How long a pack with work to do may fail to answer at all before it is stopped."
          },
          "sandbox": {
            "type": "string",
            "enum": [
              "auto",
              "bubblewrap",
              "landlock",
              "seatbelt"
            ],
            "default": "auto",
            "x-scope": "user",
            "description": "Which sandbox isolates packs; `auto` takes the strongest one that works here."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/pack-host/package.json",
    checked: true,
    load: () => import("@tenon/pack-host").then((module) => module.default),
  },
  {
    manifest: {
      "id": "packs",
      "kernel": "^1",
      "description": "Finds plugin packs, keeps what the user trusts them with, and starts them.",
      "contributes": {
        "cli-commands": {
          "plugin list": {
            "summary": "List the plugins that are installed",
            "group": "Plugins",
            "json": true,
            "description": "Packs and what marketplaces brought: where each comes from, whether it runs isolated or with full trust, and what it may do.",
            "flags": {
              "all": {
                "type": "boolean",
                "short": "a",
                "summary": "Show built-in plugins too"
              }
            }
          },
          "plugin inspect": {
            "summary": "Show everything known about a plugin",
            "group": "Plugins",
            "json": true,
            "arguments": [
              {
                "name": "id",
                "summary": "The plugin's id",
                "required": true,
                "complete": "plugins"
              }
            ],
            "description": "Manifest, permissions in plain words, trust, state, live registrations and how its process is doing."
          },
          "plugin new": {
            "summary": "Write a new pack that works",
            "group": "Plugins",
            "description": "The pack has a tool, a hook, a command and a test, and passes its own tests as it is.",
            "arguments": [
              {
                "name": "name",
                "summary": "Name of the pack, lower-case words joined by dashes",
                "required": true
              }
            ],
            "flags": {
              "dir": {
                "type": "string",
                "summary": "Folder to write it to; the name in the current folder if absent",
                "placeholder": "DIR",
                "complete": "folders"
              }
            },
            "examples": [
              {
                "command": "tenon plugin new my-pack",
                "summary": "Write my-pack into ./my-pack"
              }
            ]
          },
          "plugin test": {
            "summary": "Run a pack's own tests",
            "group": "Plugins",
            "description": "Runs the files test/*.test.ts (or .js, .mjs) of a pack with Node's test runner, inside the sandbox that the pack itself would run in.",
            "arguments": [
              {
                "name": "dir",
                "summary": "Folder of the pack; the current one if absent",
                "complete": "folders"
              }
            ]
          },
          "plugin link": {
            "summary": "Use a pack from the folder it is in",
            "group": "Plugins",
            "description": "Shows what the pack may do and asks before it is used.",
            "arguments": [
              {
                "name": "dir",
                "summary": "Folder of the pack",
                "required": true,
                "complete": "folders"
              }
            ],
            "flags": {
              "yes": {
                "type": "boolean",
                "short": "y",
                "summary": "Do not ask; needed where nobody can answer"
              }
            }
          },
          "plugin unlink": {
            "summary": "Stop using a linked pack",
            "group": "Plugins",
            "arguments": [
              {
                "name": "id",
                "summary": "The plugin's id",
                "required": true,
                "complete": "plugins"
              }
            ]
          },
          "plugin enable": {
            "summary": "Use a plugin again that was disabled",
            "group": "Plugins",
            "arguments": [
              {
                "name": "id",
                "summary": "The plugin's id",
                "required": true,
                "complete": "plugins"
              }
            ]
          },
          "plugin disable": {
            "summary": "Keep a plugin from being used",
            "group": "Plugins",
            "arguments": [
              {
                "name": "id",
                "summary": "The plugin's id",
                "required": true,
                "complete": "plugins"
              }
            ]
          },
          "plugin trust": {
            "summary": "Grant a pack what it asks for, or take it back",
            "group": "Plugins",
            "description": "Shows what the pack may do and asks before anything is granted. A pack whose permissions change must be trusted again.\n\nWith --full the pack runs inside Tenon, without any sandbox: it can do everything that you can do.",
            "arguments": [
              {
                "name": "id",
                "summary": "The plugin's id",
                "required": true,
                "complete": "plugins"
              }
            ],
            "flags": {
              "full": {
                "type": "boolean",
                "summary": "Run it inside Tenon, without a sandbox"
              },
              "revoke": {
                "type": "boolean",
                "summary": "Take back everything that was granted"
              },
              "yes": {
                "type": "boolean",
                "short": "y",
                "summary": "Do not ask; needed where nobody can answer"
              }
            },
            "examples": [
              {
                "command": "tenon plugin trust my-pack",
                "summary": "Grant what it asks for; it stays isolated"
              },
              {
                "command": "tenon plugin trust my-pack --revoke",
                "summary": "Take it back"
              }
            ]
          },
          "plugin doctor": {
            "summary": "Start packs and look whether they work",
            "group": "Plugins",
            "json": true,
            "description": "Starts the pack (or all packs that may start), looks at everything it registered and tells what is wrong. Runs none of its tools. The exit code is 1 when a problem was found.",
            "arguments": [
              {
                "name": "id",
                "summary": "The plugin's id",
                "required": false,
                "complete": "plugins"
              }
            ]
          },
          "plugin reload": {
            "summary": "Stop a plugin and start it anew",
            "group": "Plugins",
            "arguments": [
              {
                "name": "id",
                "summary": "The plugin's id",
                "required": true,
                "complete": "plugins"
              }
            ]
          }
        },
        "doctor-checks": {
          "packs": {
            "title": "Packs",
            "order": 60
          }
        }
      },
      "sources": [
        "plugins"
      ],
      "needs": [
        "folders"
      ],
      "provides": [
        "pack-installs"
      ],
      "defines": {
        "services": [
          "marketplace-plugins",
          "pack-installs"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/packs/package.json",
    checked: true,
    load: () => import("@tenon/packs").then((module) => module.default),
  },
  {
    manifest: {
      "id": "pi-compat",
      "kernel": "^1",
      "description": "Runs extensions, hook modules and custom tools of pi and oh-my-pi, isolated.",
      "needs": [
        "folders"
      ],
      "provides": [
        "pi-extensions"
      ],
      "defines": {
        "services": [
          "pi-extensions"
        ]
      },
      "handles": [
        "session.start",
        "session.switch",
        "session.branch",
        "session.tree",
        "session.shutdown",
        "session.compacted",
        "session.before-switch",
        "session.before-branch",
        "session.before-tree",
        "session.before-compact",
        "session.compacting",
        "model.select",
        "agent.event",
        "agent.before-start",
        "agent.stop",
        "input",
        "context",
        "tool.input",
        "tool.call",
        "tool.result",
        "user.bash",
        "user.python"
      ],
      "contributes": {
        "tools": {
          "*": {}
        },
        "endpoints": {
          "*": {}
        },
        "models": {
          "*": {}
        },
        "providers": {
          "*": {}
        },
        "tool-sources": {
          "pi-extensions": {}
        },
        "slash-command-providers": {
          "pi-extensions": {}
        },
        "cli-commands": {
          "extension list": {
            "summary": "List extensions of pi and oh-my-pi, and whether they run",
            "group": "Plugins",
            "json": true,
            "description": "Nothing that is listed is started."
          },
          "extension check": {
            "summary": "Load an extension alone and say what it registers",
            "group": "Plugins",
            "json": true,
            "description": "It is loaded as a session would load it, in the sandbox unless you trust it, and ended again.",
            "arguments": [
              {
                "name": "name",
                "summary": "Its name, or a file or folder",
                "required": true,
                "complete": "files"
              }
            ],
            "examples": [
              {
                "command": "tenon extension check ./my-extension.ts",
                "summary": "What does it bring?"
              }
            ]
          },
          "extension allow": {
            "summary": "Let an extension do more in its sandbox",
            "group": "Plugins",
            "description": "Paths begin with ./ (the folder you work in), ~/ or /, and may end with /**. Without flags it says what the extension may do.",
            "arguments": [
              {
                "name": "name",
                "summary": "Its name, or a file or folder",
                "required": true,
                "complete": "files"
              }
            ],
            "flags": {
              "read": {
                "type": "string",
                "multiple": true,
                "placeholder": "PATH",
                "summary": "Read this"
              },
              "write": {
                "type": "string",
                "multiple": true,
                "placeholder": "PATH",
                "summary": "Read and change this"
              },
              "net": {
                "type": "string",
                "multiple": true,
                "placeholder": "HOST",
                "summary": "Send requests to this host"
              },
              "exec": {
                "type": "string",
                "multiple": true,
                "placeholder": "PROGRAM",
                "summary": "Run this program"
              },
              "env": {
                "type": "string",
                "multiple": true,
                "placeholder": "NAME",
                "summary": "See this environment variable"
              },
              "yes": {
                "type": "boolean",
                "summary": "Do not ask",
                "short": "y"
              }
            },
            "examples": [
              {
                "command": "tenon extension allow git-checkpoint --exec git --write './**'",
                "summary": "It keeps checkpoints with git"
              }
            ]
          },
          "extension trust": {
            "summary": "Run an extension without a sandbox",
            "group": "Plugins",
            "description": "It keeps a process of its own, so that a crash of it does no harm, but it can do everything that you can. Extensions of a project cannot be trusted so.",
            "arguments": [
              {
                "name": "name",
                "summary": "Its name, or a file or folder",
                "required": true,
                "complete": "files"
              }
            ],
            "flags": {
              "in-process": {
                "type": "boolean",
                "summary": "Even inside Tenon: a crash or a hang of it is one of Tenon's"
              },
              "yes": {
                "type": "boolean",
                "summary": "Do not ask",
                "short": "y"
              }
            }
          },
          "extension revoke": {
            "summary": "Put an extension back into the sandbox, with nothing granted",
            "group": "Plugins",
            "arguments": [
              {
                "name": "name",
                "summary": "Its name, or a file or folder",
                "required": true,
                "complete": "files"
              }
            ]
          },
          "extension enable": {
            "summary": "Load an extension again",
            "group": "Plugins",
            "arguments": [
              {
                "name": "name",
                "summary": "Its name, or a file or folder",
                "required": true,
                "complete": "files"
              }
            ]
          },
          "extension disable": {
            "summary": "Do not load an extension any more",
            "group": "Plugins",
            "arguments": [
              {
                "name": "name",
                "summary": "Its name, or a file or folder",
                "required": true,
                "complete": "files"
              }
            ]
          }
        }
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "description": "Whether extensions, hook modules and custom tools of pi and oh-my-pi are looked for."
          },
          "extensions": {
            "type": "array",
            "items": {
              "type": "string",
              "minLength": 1
            },
            "default": [],
            "x-scope": "user",
            "description": "More extensions: files, packages or folders. A relative path counts as a part of the project."
          },
          "disabled": {
            "type": "array",
            "items": {
              "type": "string",
              "minLength": 1
            },
            "default": [],
            "description": "Names of extensions that are not loaded."
          },
          "permissions": {
            "type": "object",
            "additionalProperties": false,
            "x-scope": "user",
            "properties": {
              "fs": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "read": {
                    "type": "array",
                    "items": {
                      "type": "string"
                    },
                    "default": [
                      "./**"
                    ]
                  },
                  "write": {
                    "type": "array",
                    "items": {
                      "type": "string"
                    }
                  }
                }
              },
              "net": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "exec": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              },
              "env": {
                "type": "array",
                "items": {
                  "type": "string"
                }
              }
            },
            "description": "What every extension may do in its sandbox; `tenon extension allow` grants more to one."
          },
          "flags": {
            "type": "object",
            "additionalProperties": {
              "type": [
                "string",
                "boolean"
              ]
            },
            "default": {},
            "description": "Values for the flags that extensions register."
          },
          "toolTokens": {
            "type": "integer",
            "minimum": 0,
            "default": 6000,
            "description": "How many tokens of the prompt the tools of extensions may take together; the others are found by search."
          },
          "handlerSeconds": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 86400,
            "default": 30,
            "description": "How long an extension may take to answer to an event. The time in which a person is asked does not count."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/pi-compat/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.piCompat),
  },
  {
    manifest: {
      "id": "rules",
      "kernel": "^1",
      "description": "Rules for the model: always there, listed in the rulebook, tied to files, or watching what it writes.",
      "contributes": {
        "stream-filters": {
          "rules": {}
        },
        "url-schemes": {
          "rule": {
            "description": "The text of a rule; rule:// lists them."
          }
        },
        "cli-commands": {
          "rules list": {
            "summary": "List the rules that hold in this folder, and how each is used",
            "group": "Plugins",
            "json": true,
            "description": "`always` rules are in the system prompt, `listed` ones by name, `files` ones come with the first call that touches such a file, `stream` ones cut in when the model writes what they are about, `manual` ones are only read on demand."
          },
          "rules show": {
            "summary": "Show a rule",
            "group": "Plugins",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "The rule",
                "required": true
              }
            ]
          }
        }
      },
      "needs": [
        "folders",
        "discovery",
        "live-agents"
      ],
      "provides": [
        "rulebook"
      ],
      "handles": [
        "agent.before-start",
        "tool.result",
        "session.compacted",
        "session.tree",
        "session.shutdown"
      ],
      "defines": {
        "services": [
          "rulebook"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "default": {},
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "description": "Whether rules are used at all."
          },
          "alwaysTokens": {
            "type": "integer",
            "minimum": 0,
            "default": 6000,
            "description": "How many tokens rules that always hold may take in the system prompt; the rest is listed by name."
          },
          "listTokens": {
            "type": "integer",
            "minimum": 0,
            "default": 1000,
            "description": "How many tokens the list of the other rules may take."
          },
          "attachTokens": {
            "type": "integer",
            "minimum": 100,
            "default": 2500,
            "description": "How many tokens of rules about files may come with one tool result."
          },
          "stream": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "enabled": {
                "type": "boolean",
                "default": true,
                "description": "Whether rules with a condition watch what the model writes."
              },
              "contextMode": {
                "type": "string",
                "enum": [
                  "discard",
                  "keep"
                ],
                "default": "discard",
                "description": "Whether the model still sees the answer that a rule cut off."
              },
              "interruptMode": {
                "type": "string",
                "enum": [
                  "never",
                  "prose-only",
                  "tool-only",
                  "always"
                ],
                "default": "always",
                "description": "Where a rule cuts in; elsewhere it is told after the answer. A rule may say otherwise for itself."
              },
              "repeatMode": {
                "type": "string",
                "enum": [
                  "once",
                  "after-gap"
                ],
                "default": "once",
                "description": "Whether a rule cuts in once in a session, or again after some answers."
              },
              "repeatGap": {
                "type": "integer",
                "minimum": 1,
                "default": 10,
                "description": "How many answers must come before a rule cuts in again."
              }
            }
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/rules/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.rules),
  },
  {
    manifest: {
      "id": "skills",
      "kernel": "^1",
      "description": "Agent Skills: listed in the prompt, brought in by their triggers, read as skill://, called as /skill:NAME.",
      "contributes": {
        "url-schemes": {
          "skill": {
            "description": "A skill and its files; skill:// lists them."
          }
        },
        "slash-command-providers": {
          "skills": {}
        },
        "cli-commands": {
          "skills list": {
            "summary": "List the skills for this folder",
            "group": "Plugins",
            "json": true
          },
          "skills show": {
            "summary": "Show a skill and its files",
            "group": "Plugins",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "The skill",
                "required": true
              }
            ]
          },
          "skills validate": {
            "summary": "Check skills against the Agent Skills format",
            "group": "Plugins",
            "json": true,
            "description": "The exit code is 1 when a skill has errors; warnings do not count.",
            "arguments": [
              {
                "name": "skill",
                "summary": "A skill, its folder or its SKILL.md; all skills if absent"
              }
            ],
            "examples": [
              {
                "command": "tenon skills validate ./my-skill",
                "summary": "Check a skill before it is shared"
              }
            ]
          }
        }
      },
      "needs": [
        "folders",
        "discovery",
        "live-agents"
      ],
      "provides": [
        "skill-book"
      ],
      "handles": [
        "agent.before-start",
        "session.compacted",
        "session.tree",
        "session.shutdown"
      ],
      "defines": {
        "services": [
          "skill-book"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "default": {},
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "description": "Whether skills are used at all."
          },
          "listTokens": {
            "type": "integer",
            "minimum": 0,
            "default": 2000,
            "description": "How many tokens the list of skills may take in the system prompt."
          },
          "triggerTokens": {
            "type": "integer",
            "minimum": 0,
            "default": 1000,
            "description": "How many tokens of skills one prompt may bring in by their triggers; the others are named."
          },
          "commands": {
            "type": "boolean",
            "default": true,
            "description": "Whether /skill:NAME calls a skill."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/skills/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.skills),
  },
  {
    manifest: {
      "id": "slash-commands",
      "kernel": "^1",
      "description": "Slash commands: Markdown and TOML files with arguments, shell lines and files, and what other plugins bring.",
      "contributes": {
        "slash-command-providers": {
          "files": {}
        },
        "cli-commands": {
          "commands list": {
            "summary": "List the slash commands for this folder",
            "group": "Plugins",
            "json": true
          },
          "commands show": {
            "summary": "Show a slash command",
            "group": "Plugins",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "The command, with or without its slash",
                "required": true
              }
            ],
            "examples": [
              {
                "command": "tenon commands show /review",
                "summary": "Read what a command does before using it"
              }
            ]
          }
        }
      },
      "needs": [
        "folders",
        "discovery"
      ],
      "provides": [
        "slash-commands"
      ],
      "handles": [
        "input"
      ],
      "defines": {
        "slots": [
          "slash-command-providers"
        ],
        "services": [
          "slash-commands"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "default": {},
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "description": "Whether prompts that begin with a slash are commands."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/ecosystem/slash-commands/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.slashCommands),
  },
  {
    manifest: {
      "id": "command-line",
      "kernel": "^1",
      "description": "Parses the command line, renders help and completes words, all from one table of commands.",
      "contributes": {
        "cli-commands": {
          "help": {
            "summary": "Show the help of Tenon or of one command",
            "group": "Getting started",
            "description": "Without a topic it gives an overview of all commands. A topic is a command (\"config set\"), the first word of several (\"config\"), or one of the general topics: environment, exit-codes.",
            "arguments": [
              {
                "name": "topic",
                "summary": "Words of a command, or a general topic",
                "variadic": true,
                "complete": "commands"
              }
            ],
            "examples": [
              {
                "command": "tenon help config set",
                "summary": "Explain one command"
              },
              {
                "command": "tenon help exit-codes",
                "summary": "What the exit codes mean"
              }
            ]
          },
          "completion": {
            "summary": "Print a completion script for your shell",
            "group": "Getting started",
            "description": "The script knows all commands and flags, those of installed packs included, and asks Tenon for plugins and settings as you type. Print it again after you have installed packs with commands of their own.",
            "arguments": [
              {
                "name": "shell",
                "summary": "The shell that you use",
                "required": true,
                "choices": [
                  "bash",
                  "zsh",
                  "fish"
                ]
              }
            ],
            "examples": [
              {
                "command": "source <(tenon completion bash)",
                "summary": "Bash; put the line into ~/.bashrc to keep it"
              },
              {
                "command": "source <(tenon completion zsh)",
                "summary": "Zsh; put the line into ~/.zshrc after compinit"
              },
              {
                "command": "tenon completion fish > ~/.config/fish/completions/tenon.fish",
                "summary": "Fish"
              }
            ]
          },
          "__complete": {
            "summary": "Print candidates for a completion script, one per line",
            "hidden": true,
            "quiet": true,
            "arguments": [
              {
                "name": "kind",
                "summary": "plugins, settings, or slot:ID",
                "required": true
              }
            ]
          }
        }
      },
      "needs": [
        "kernel-view"
      ],
      "provides": [
        "command-line"
      ],
      "defines": {
        "slots": [
          "cli-commands"
        ],
        "services": [
          "command-line"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/foundation/command-line/package.json",
    checked: true,
    load: () => import("@tenon/command-line").then((module) => module.default),
  },
  {
    manifest: {
      "id": "doctor",
      "kernel": "^1",
      "description": "Checks the installation: versions, accelerators, plugins, folders, sandbox, settings.",
      "contributes": {
        "cli-commands": {
          "doctor": {
            "summary": "Check the installation and say what to do about problems",
            "group": "Getting started",
            "json": true,
            "quiet": true,
            "description": "Looks at versions, accelerators, plugins, folders, the sandbox and settings. It changes nothing. The exit code is 1 when a problem was found; warnings do not count.",
            "arguments": [
              {
                "name": "checks",
                "summary": "Only these checks",
                "variadic": true,
                "complete": "slot:doctor-checks"
              }
            ],
            "examples": [
              {
                "command": "tenon doctor",
                "summary": "Check everything"
              },
              {
                "command": "tenon doctor sandbox folders --json",
                "summary": "Two checks, for a program"
              }
            ]
          }
        },
        "doctor-checks": {
          "versions": {
            "title": "Versions",
            "order": 10
          },
          "accelerators": {
            "title": "Accelerators",
            "order": 20
          },
          "plugins": {
            "title": "Plugins",
            "order": 30
          },
          "folders": {
            "title": "Folders",
            "order": 40
          },
          "sandbox": {
            "title": "Sandbox",
            "order": 50
          },
          "settings": {
            "title": "Settings",
            "order": 60
          }
        }
      },
      "needs": [
        "kernel-view"
      ],
      "defines": {
        "slots": [
          "doctor-checks"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/foundation/doctor/package.json",
    checked: true,
    load: () => import("@tenon/doctor").then((module) => module.default),
  },
  {
    manifest: {
      "id": "settings",
      "kernel": "^1",
      "description": "The settings engine: merges layers, checks each plugin's section, tells what changed.",
      "needs": [
        "installed-plugins"
      ],
      "provides": [
        "settings"
      ],
      "version": "0.1.0"
    },
    file: "packages/plugins/foundation/settings/package.json",
    checked: true,
    load: () => import("@tenon/settings").then((module) => module.default),
  },
  {
    manifest: {
      "id": "settings-files",
      "kernel": "^1",
      "description": "Settings in YAML files, the environment and flags, and the commands that show and change them.",
      "contributes": {
        "settings-layers": {
          "global": {},
          "project": {},
          "environment": {},
          "flags": {}
        },
        "cli-commands": {
          "config list": {
            "summary": "List settings, their values and where each came from",
            "group": "Settings",
            "json": true,
            "arguments": [
              {
                "name": "prefix",
                "summary": "Only the settings whose name starts so",
                "complete": "settings"
              }
            ],
            "flags": {
              "changed": {
                "type": "boolean",
                "summary": "Only the settings that differ from their default"
              }
            },
            "examples": [
              {
                "command": "tenon config list pack-host",
                "summary": "The settings of one plugin"
              },
              {
                "command": "tenon config list --changed --json",
                "summary": "What was changed, for a program"
              }
            ]
          },
          "config get": {
            "summary": "Print the value of a setting",
            "group": "Settings",
            "json": true,
            "arguments": [
              {
                "name": "key",
                "summary": "The setting, e.g. \"pack-host.memoryMb\"",
                "required": true,
                "complete": "settings"
              }
            ]
          },
          "config set": {
            "summary": "Change a setting",
            "group": "Settings",
            "description": "The value is read as YAML: true, 42, [a, b] and {a: 1} are what they look like, everything else is text. It is checked before the file is written. Comments and the order of the file stay as they are.",
            "arguments": [
              {
                "name": "key",
                "summary": "The setting, e.g. \"pack-host.memoryMb\"",
                "required": true,
                "complete": "settings"
              },
              {
                "name": "value",
                "summary": "The new value",
                "required": true
              }
            ],
            "flags": {
              "project": {
                "type": "boolean",
                "summary": "Use the project's settings (.tenon/settings.yml) instead of your own"
              }
            },
            "examples": [
              {
                "command": "tenon config set pack-host.memoryMb 1024",
                "summary": "Change it for yourself"
              },
              {
                "command": "tenon config set --project pack-host.memoryMb 256",
                "summary": "Change it for everyone who works in this project"
              }
            ]
          },
          "config unset": {
            "summary": "Remove a setting from the file, so that its default holds again",
            "group": "Settings",
            "arguments": [
              {
                "name": "key",
                "summary": "The setting, e.g. \"pack-host.memoryMb\"",
                "required": true,
                "complete": "settings"
              }
            ],
            "flags": {
              "project": {
                "type": "boolean",
                "summary": "Use the project's settings (.tenon/settings.yml) instead of your own"
              }
            }
          },
          "config edit": {
            "summary": "Open the settings file in your editor",
            "group": "Settings",
            "description": "Opens a copy in $VISUAL or $EDITOR and puts it in place when it is valid. What you wrote is never thrown away: if it is not valid or the file changed meanwhile, the copy is kept and named.",
            "flags": {
              "project": {
                "type": "boolean",
                "summary": "Use the project's settings (.tenon/settings.yml) instead of your own"
              }
            }
          },
          "config path": {
            "summary": "Show the files and other places that settings come from",
            "group": "Settings",
            "json": true
          },
          "config schema": {
            "summary": "Print the JSON Schema of all settings",
            "group": "Settings",
            "description": "With --write it is stored beside your settings file, and the file gets the comment by which editors find it, so that they complete and check settings.",
            "flags": {
              "write": {
                "type": "boolean",
                "summary": "Store it beside the settings file and point the file to it"
              },
              "project": {
                "type": "boolean",
                "summary": "Use the project's settings (.tenon/settings.yml) instead of your own"
              }
            }
          }
        }
      },
      "needs": [
        "folders",
        "kernel-view",
        "installed-plugins",
        "settings-overrides"
      ],
      "defines": {
        "services": [
          "settings-overrides"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/foundation/settings-files/package.json",
    checked: true,
    load: () => import("@tenon/settings-files").then((module) => module.default),
  },
  {
    manifest: {
      "id": "tools",
      "kernel": "^1",
      "description": "Runs tools for agents and people, repairs input that is almost right, and finds tools that are not offered yet.",
      "contributes": {
        "cli-commands": {
          "tools list": {
            "summary": "List the tools that agents can use",
            "group": "Tools",
            "json": true,
            "description": "Tools of MCP servers and of extensions are among them, with where they are from; a server whose tools are known from the last time is not started for it. With --json each tool comes with its description for models and the JSON Schema of its input.",
            "examples": [
              {
                "command": "tenon tools list --json",
                "summary": "Everything about every tool, for programs"
              }
            ]
          },
          "tool list": {
            "summary": "List the tools that agents can use",
            "group": "Tools",
            "json": true,
            "description": "Tools of MCP servers and of extensions are among them, with where they are from; a server whose tools are known from the last time is not started for it. With --json each tool comes with its description for models and the JSON Schema of its input.",
            "examples": [
              {
                "command": "tenon tools list --json",
                "summary": "Everything about every tool, for programs"
              }
            ],
            "hidden": true
          },
          "tools show": {
            "summary": "Show what a tool does and what input it takes",
            "group": "Tools",
            "json": true,
            "arguments": [
              {
                "name": "name",
                "summary": "The tool",
                "required": true,
                "complete": "slot:tools"
              }
            ],
            "examples": [
              {
                "command": "tenon tools show search",
                "summary": "The text that models read, and the shape of the input"
              }
            ]
          },
          "tool run": {
            "summary": "Run one tool by hand",
            "group": "Tools",
            "json": true,
            "description": "Tools of MCP servers and of extensions can be named too. The input is a JSON object, given as text, as @FILE, or as - for standard input. Input that is almost right is repaired, and the result says so. Approval, policy and sandbox apply as in a conversation. Progress goes to standard error. The exit code is 1 when the tool failed or was refused.",
            "arguments": [
              {
                "name": "name",
                "summary": "The tool",
                "required": true,
                "complete": "slot:tools"
              }
            ],
            "flags": {
              "input": {
                "type": "string",
                "short": "i",
                "summary": "JSON object, @FILE, or - for standard input",
                "placeholder": "JSON",
                "default": "{}"
              },
              "edit-mode": {
                "type": "string",
                "summary": "For the tool edit: how the edit is written down (hashline, replace, patch, …)",
                "placeholder": "MODE",
                "complete": "slot:edit-modes"
              }
            },
            "examples": [
              {
                "command": "tenon tool run greet --input '{\"name\": \"Ada\"}'",
                "summary": "Run a tool of the hello pack"
              },
              {
                "command": "echo '{\"name\": \"Ada\"}' | tenon tool run greet --input - --json",
                "summary": "Input from a pipe, result as JSON"
              }
            ]
          },
          "tools run": {
            "summary": "Run one tool by hand",
            "group": "Tools",
            "json": true,
            "description": "Tools of MCP servers and of extensions can be named too. The input is a JSON object, given as text, as @FILE, or as - for standard input. Input that is almost right is repaired, and the result says so. Approval, policy and sandbox apply as in a conversation. Progress goes to standard error. The exit code is 1 when the tool failed or was refused.",
            "arguments": [
              {
                "name": "name",
                "summary": "The tool",
                "required": true,
                "complete": "slot:tools"
              }
            ],
            "flags": {
              "input": {
                "type": "string",
                "short": "i",
                "summary": "JSON object, @FILE, or - for standard input",
                "placeholder": "JSON",
                "default": "{}"
              },
              "edit-mode": {
                "type": "string",
                "summary": "For the tool edit: how the edit is written down (hashline, replace, patch, …)",
                "placeholder": "MODE",
                "complete": "slot:edit-modes"
              }
            },
            "examples": [
              {
                "command": "tenon tool run greet --input '{\"name\": \"Ada\"}'",
                "summary": "Run a tool of the hello pack"
              },
              {
                "command": "echo '{\"name\": \"Ada\"}' | tenon tool run greet --input - --json",
                "summary": "Input from a pipe, result as JSON"
              }
            ],
            "hidden": true
          },
          "grep": {
            "summary": "Search file contents by regex",
            "group": "Tools",
            "json": true,
            "description": "The tool `search` for the shell: fast, respects .gitignore, shows hidden files. On a terminal matches stand under their file; in a pipe each line is PATH:LINE:TEXT. The exit code is 0 when something was found, 1 when nothing was, 2 when something is wrong, as with grep.",
            "arguments": [
              {
                "name": "pattern",
                "summary": "Regex (Rust syntax); \\n makes it span lines",
                "required": true
              },
              {
                "name": "paths",
                "summary": "Files, folders or globs; the working folder by default",
                "variadic": true,
                "complete": "files"
              }
            ],
            "flags": {
              "ignore-case": {
                "type": "boolean",
                "short": "i",
                "summary": "Ignore case"
              },
              "no-ignore": {
                "type": "boolean",
                "summary": "Search also what .gitignore hides"
              },
              "context": {
                "type": "boolean",
                "short": "C",
                "summary": "Show the lines around matches"
              },
              "files": {
                "type": "boolean",
                "short": "l",
                "summary": "Show only the names of files with matches"
              },
              "count": {
                "type": "boolean",
                "short": "c",
                "summary": "Show only how many matches each file has"
              },
              "anchors": {
                "type": "boolean",
                "short": "a",
                "summary": "Show the anchors that the edit tool names lines by"
              },
              "limit": {
                "type": "string",
                "short": "n",
                "placeholder": "N",
                "summary": "Most matches to show (default 1000)"
              }
            },
            "examples": [
              {
                "command": "tenon grep 'TODO|FIXME' src",
                "summary": "Open ends in a folder"
              },
              {
                "command": "tenon grep -i -l password '**/*.ts'",
                "summary": "Files that mention passwords"
              }
            ]
          },
          "find": {
            "summary": "Find files by glob, newest first",
            "group": "Tools",
            "json": true,
            "description": "The tool `find` for the shell. Files that git ignores are left out. The exit code is 0 when something was found, 1 when nothing was, 2 when something is wrong.",
            "arguments": [
              {
                "name": "paths",
                "summary": "Files, folders or globs; the working folder by default",
                "variadic": true,
                "complete": "files"
              }
            ],
            "flags": {
              "no-hidden": {
                "type": "boolean",
                "summary": "Leave hidden files out"
              },
              "limit": {
                "type": "string",
                "short": "n",
                "placeholder": "N",
                "summary": "Most paths to show (default 1000)"
              },
              "null": {
                "type": "boolean",
                "short": "z",
                "summary": "End each path with a zero byte, for xargs -0"
              }
            },
            "examples": [
              {
                "command": "tenon find '*.test.ts'",
                "summary": "All tests, the one changed last first"
              },
              {
                "command": "tenon find -z 'src/**/*.md' | xargs -0 wc -w",
                "summary": "Words in the documents of a folder"
              }
            ]
          },
          "ast": {
            "summary": "Search and rewrite code by its structure",
            "group": "Tools",
            "json": true,
            "description": "The pattern is code with $NAME for one node and $$$NAME for any number. With --rewrite the replacements are shown, and with --apply made: all of them or none. The exit code is 0 when something was found, 1 when nothing was, 2 when something is wrong.",
            "arguments": [
              {
                "name": "pattern",
                "summary": "Code with metavariables, e.g. 'console.log($A)'",
                "required": true
              },
              {
                "name": "paths",
                "summary": "Files, folders or globs; the working folder by default",
                "variadic": true,
                "complete": "files"
              }
            ],
            "flags": {
              "rewrite": {
                "type": "string",
                "short": "r",
                "placeholder": "CODE",
                "summary": "What matches become; an empty text deletes"
              },
              "apply": {
                "type": "boolean",
                "summary": "Carry the rewrite out"
              },
              "skip": {
                "type": "string",
                "placeholder": "N",
                "summary": "Matches to pass over"
              },
              "anchors": {
                "type": "boolean",
                "short": "a",
                "summary": "Show the anchors that the edit tool names lines by"
              }
            },
            "examples": [
              {
                "command": "tenon ast 'fetch($URL, $$$)' 'src/**/*.ts'",
                "summary": "All calls of a function"
              },
              {
                "command": "tenon ast 'var $A = $B' --rewrite 'let $A = $B' src --apply",
                "summary": "Rewrite in all files of a folder"
              }
            ]
          },
          "read": {
            "summary": "Show a file, a folder or a URL as agents see it",
            "group": "Tools",
            "json": true,
            "description": "The tool `read` for the shell. Text comes with the anchors that edits name lines by; --raw gives it as it is. A selector may stand behind the path: src/a.ts:50-99, data.bin:raw.",
            "arguments": [
              {
                "name": "path",
                "summary": "Path or URL",
                "required": true,
                "complete": "files"
              }
            ],
            "flags": {
              "lines": {
                "type": "string",
                "short": "L",
                "placeholder": "A-B",
                "summary": "Only these lines, e.g. 50-99 or 50+20"
              },
              "raw": {
                "type": "boolean",
                "summary": "Without anchors and without a summary"
              }
            },
            "examples": [
              {
                "command": "tenon read src/main.ts --lines 1-40",
                "summary": "The first lines, with anchors"
              },
              {
                "command": "tenon read src",
                "summary": "A folder as a tree"
              }
            ]
          }
        },
        "tools": {
          "search_tool_bm25": {
            "summary": "Find and activate tools that are not offered yet",
            "risk": "read",
            "render": {
              "shows": "list",
              "title": "query"
            }
          }
        }
      },
      "provides": [
        "tool-runner",
        "tool-catalogue"
      ],
      "defines": {
        "slots": [
          "tools",
          "tool-sources"
        ],
        "services": [
          "tool-runner",
          "tool-catalogue"
        ],
        "hooks": [
          "tool.input",
          "tool.call",
          "tool.permission",
          "tool.result"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "discovery": {
            "type": "boolean",
            "default": true,
            "description": "Whether the model may search for tools that are not offered from the start."
          },
          "schemaBudget": {
            "type": "integer",
            "minimum": 500,
            "default": 5000,
            "description": "How many tokens the descriptions and schemas of the tools may take in a prompt. What does not fit is found by search."
          },
          "essential": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "default": [
              "read",
              "bash",
              "edit",
              "write",
              "search",
              "find",
              "resolve",
              "ast_grep",
              "ast_edit",
              "todo_write",
              "ask",
              "job"
            ],
            "description": "Tools that are offered first when not all fit into the budget, the most important one first."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/foundation/tools/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.tools),
  },
  {
    manifest: {
      "id": "models",
      "kernel": "^1",
      "description": "Models and their providers: the catalogue, credentials, retries, and the one stream of events.",
      "contributes": {
        "cli-commands": {
          "models list": {
            "summary": "List the models that can be used",
            "group": "Models",
            "json": true,
            "description": "Shows the models of all providers that have credentials, of local servers, and of your models.yml, with their context window and their prices per million tokens.",
            "arguments": [
              {
                "name": "search",
                "summary": "Part of a provider, id or name"
              }
            ],
            "flags": {
              "all": {
                "type": "boolean",
                "short": "a",
                "summary": "Also models without credentials"
              }
            },
            "examples": [
              {
                "command": "tenon models list sonnet --all",
                "summary": "All models with \"sonnet\" in their name"
              }
            ]
          },
          "auth list": {
            "summary": "List the credentials for models and where they come from",
            "group": "Models",
            "json": true,
            "flags": {
              "all": {
                "type": "boolean",
                "short": "a",
                "summary": "Also providers without credentials"
              }
            }
          },
          "auth login": {
            "summary": "Store a credential for a provider of models",
            "group": "Models",
            "description": "Asks for an API key, or opens a login in the browser where the provider offers one to other programs. A provider can have several keys: each login adds one, and they take turns when one is limited. Credentials are stored encrypted; the key is in the keychain of your system, or in a file that only you can read where there is no keychain. The latter does not protect against programs that run as you.",
            "arguments": [
              {
                "name": "provider",
                "summary": "The provider, as `tenon auth list --all` names it",
                "required": true,
                "complete": "slot:endpoints"
              }
            ],
            "flags": {
              "stdin": {
                "type": "boolean",
                "summary": "Read the API key from standard input"
              },
              "key": {
                "type": "boolean",
                "summary": "Give an API key, also where the browser would be used"
              },
              "browser": {
                "type": "boolean",
                "summary": "Log in with the browser"
              }
            },
            "examples": [
              {
                "command": "tenon auth login anthropic",
                "summary": "Asks for the key"
              },
              {
                "command": "pass show openai | tenon auth login openai --stdin",
                "summary": "Takes the key from a password manager"
              }
            ]
          },
          "auth logout": {
            "summary": "Remove the stored credentials of a provider",
            "group": "Models",
            "arguments": [
              {
                "name": "provider",
                "summary": "The provider, as `tenon auth list --all` names it",
                "required": true,
                "complete": "slot:endpoints"
              }
            ]
          }
        }
      },
      "needs": [
        "folders"
      ],
      "provides": [
        "model-registry",
        "auth-store"
      ],
      "defines": {
        "slots": [
          "providers",
          "models",
          "endpoints"
        ],
        "services": [
          "model-registry",
          "auth-store"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "roles": {
            "type": "object",
            "default": {},
            "description": "Which model plays which role (default, small, plan, vision, …): a pattern such as \"anthropic/claude-opus-5:high\", or several in order of preference.",
            "additionalProperties": {
              "anyOf": [
                {
                  "type": "string"
                },
                {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "minItems": 1
                }
              ]
            }
          },
          "fallbacks": {
            "type": "object",
            "default": {},
            "x-scope": "user",
            "description": "Which models take over when one fails: model (or \"*\") -> models in order.",
            "additionalProperties": {
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          },
          "retry": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "maxAttempts": {
                "type": "integer",
                "minimum": 1,
                "default": 6,
                "description": "How often a call is made at most before it is given up."
              },
              "baseDelayMs": {
                "type": "integer",
                "minimum": 0,
                "default": 1000,
                "description": "The wait before the first retry; it doubles each time."
              },
              "maxDelayMs": {
                "type": "integer",
                "minimum": 0,
                "default": 30000,
                "description": "The longest wait between retries when the provider does not say how long."
              },
              "maxWaitMs": {
                "type": "integer",
                "minimum": 0,
                "default": 180000,
                "description": "A provider that asks for a longer wait is not waited for."
              }
            }
          },
          "batchMs": {
            "type": "integer",
            "minimum": 0,
            "default": 50,
            "description": "Pieces of an answer that come within this time are passed on as one."
          },
          "harmonyGuard": {
            "type": "boolean",
            "default": true,
            "description": "Throw away answers of OpenAI models into which their routing header has leaked, and ask again. Turn it off to work on texts that contain such headers."
          },
          "credentialStore": {
            "type": "string",
            "enum": [
              "auto",
              "keychain",
              "file"
            ],
            "default": "auto",
            "x-scope": "user",
            "description": "Where the key to the stored credentials is kept: the keychain of the system, a file, or the first of the two that works."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/models/models/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.models),
  },
  {
    manifest: {
      "id": "offline",
      "kernel": "^1",
      "description": "A model without a model: rules that turn plain requests into tool calls, with no key and no network.",
      "contributes": {
        "providers": {
          "offline": {
            "summary": "Rules on this machine; no network.",
            "needsKey": false
          }
        },
        "models": {
          "offline/rules": {
            "name": "Offline rules",
            "api": "offline",
            "contextWindow": 1000000,
            "maxTokens": 64000,
            "input": [
              "text"
            ],
            "reasoning": false,
            "price": {
              "input": 0,
              "output": 0,
              "cacheRead": 0,
              "cacheWrite": 0
            },
            "needsKey": false,
            "fallback": true
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/models/offline/package.json",
    checked: true,
    load: () => import("@tenon/offline").then((module) => module.default),
  },
  {
    manifest: {
      "id": "providers",
      "kernel": "^1",
      "description": "Speaks the wire protocols of model providers, and knows their endpoints.",
      "contributes": {
        "providers": {
          "anthropic-messages": {
            "title": "Anthropic Messages",
            "needsBaseUrl": true
          },
          "openai-responses": {
            "title": "OpenAI Responses",
            "needsBaseUrl": true
          },
          "openai-completions": {
            "title": "OpenAI Chat Completions",
            "needsBaseUrl": true
          },
          "google-generative-ai": {
            "title": "Google Generative AI",
            "needsBaseUrl": true
          },
          "bedrock-converse-stream": {
            "title": "Amazon Bedrock Converse"
          }
        },
        "endpoints": {
          "anthropic": {
            "name": "Anthropic",
            "api": "anthropic-messages",
            "baseUrl": "https://api.anthropic.com/v1",
            "env": [
              "ANTHROPIC_OAUTH_TOKEN",
              "ANTHROPIC_API_KEY"
            ],
            "rank": 10,
            "defaultModel": "claude-sonnet-*",
            "smallModel": "claude-haiku-*",
            "baseUrlEnv": "ANTHROPIC_BASE_URL"
          },
          "openai": {
            "name": "OpenAI",
            "api": "openai-responses",
            "baseUrl": "https://api.openai.com/v1",
            "env": [
              "OPENAI_API_KEY"
            ],
            "rank": 20,
            "defaultModel": "gpt-6-sol",
            "smallModel": "gpt-6-luna",
            "baseUrlEnv": "OPENAI_BASE_URL"
          },
          "google": {
            "name": "Google Gemini",
            "api": "google-generative-ai",
            "baseUrl": "https://generativelanguage.googleapis.com/v1beta",
            "env": [
              "GEMINI_API_KEY",
              "GOOGLE_API_KEY"
            ],
            "rank": 30,
            "defaultModel": "gemini-3*-flash",
            "smallModel": "gemini-3*-flash-lite",
            "baseUrlEnv": "GOOGLE_GEMINI_BASE_URL"
          },
          "openrouter": {
            "name": "OpenRouter",
            "api": "openai-completions",
            "baseUrl": "https://openrouter.ai/api/v1",
            "env": [
              "OPENROUTER_API_KEY"
            ],
            "rank": 40,
            "anyModel": true,
            "defaultModel": "anthropic/claude-sonnet-*",
            "smallModel": "anthropic/claude-haiku-*",
            "quirks": {
              "thinking": "reasoning",
              "promptCacheKey": false
            },
            "oauth": {
              "style": "key",
              "authorizeUrl": "https://openrouter.ai/auth",
              "tokenUrl": "https://openrouter.ai/api/v1/auth/keys"
            }
          },
          "amazon-bedrock": {
            "name": "Amazon Bedrock",
            "api": "bedrock-converse-stream",
            "env": [
              "AWS_BEARER_TOKEN_BEDROCK"
            ],
            "ambient": [
              "AWS_ACCESS_KEY_ID",
              "AWS_PROFILE",
              "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
              "AWS_CONTAINER_CREDENTIALS_FULL_URI",
              "AWS_WEB_IDENTITY_TOKEN_FILE",
              "AWS_BEDROCK_SKIP_AUTH"
            ],
            "rank": 50,
            "anyModel": true,
            "defaultModel": "global.anthropic.claude-sonnet-*",
            "smallModel": "global.anthropic.claude-haiku-*"
          },
          "xai": {
            "name": "xAI",
            "api": "openai-completions",
            "baseUrl": "https://api.x.ai/v1",
            "env": [
              "XAI_API_KEY"
            ],
            "rank": 60,
            "defaultModel": "grok-4*",
            "smallModel": "grok-4-1-fast-non-reasoning",
            "quirks": {
              "thinking": "none"
            }
          },
          "deepseek": {
            "name": "DeepSeek",
            "api": "openai-completions",
            "baseUrl": "https://api.deepseek.com",
            "env": [
              "DEEPSEEK_API_KEY"
            ],
            "rank": 61,
            "defaultModel": "deepseek-v4-pro",
            "smallModel": "deepseek-v4-flash",
            "quirks": {
              "thinking": "switch",
              "keepThinking": true
            }
          },
          "mistral": {
            "name": "Mistral",
            "api": "openai-completions",
            "baseUrl": "https://api.mistral.ai/v1",
            "env": [
              "MISTRAL_API_KEY"
            ],
            "rank": 62,
            "anyModel": true,
            "defaultModel": "devstral-*",
            "smallModel": "mistral-small-*",
            "quirks": {
              "thinking": "none",
              "shortToolIds": true
            }
          },
          "moonshot": {
            "name": "Moonshot AI",
            "api": "openai-completions",
            "baseUrl": "https://api.moonshot.ai/v1",
            "env": [
              "MOONSHOT_API_KEY"
            ],
            "rank": 63,
            "anyModel": true,
            "defaultModel": "kimi-k3",
            "quirks": {
              "thinking": "switch",
              "keepThinking": true
            }
          },
          "zai": {
            "name": "Z.ai",
            "api": "openai-completions",
            "baseUrl": "https://api.z.ai/api/paas/v4",
            "env": [
              "ZAI_API_KEY"
            ],
            "rank": 64,
            "anyModel": true,
            "defaultModel": "glm-5.3",
            "smallModel": "glm-5.3-flash",
            "quirks": {
              "thinking": "switch",
              "keepThinking": true
            }
          },
          "zai-coding": {
            "name": "Z.ai Coding Plan",
            "api": "openai-completions",
            "baseUrl": "https://api.z.ai/api/coding/paas/v4",
            "env": [
              "ZAI_CODING_API_KEY"
            ],
            "rank": 65,
            "anyModel": true,
            "quirks": {
              "thinking": "switch",
              "keepThinking": true
            }
          },
          "groq": {
            "name": "Groq",
            "api": "openai-completions",
            "baseUrl": "https://api.groq.com/openai/v1",
            "env": [
              "GROQ_API_KEY"
            ],
            "rank": 66,
            "anyModel": true,
            "defaultModel": "openai/gpt-oss-120b",
            "smallModel": "openai/gpt-oss-20b"
          },
          "cerebras": {
            "name": "Cerebras",
            "api": "openai-completions",
            "baseUrl": "https://api.cerebras.ai/v1",
            "env": [
              "CEREBRAS_API_KEY"
            ],
            "rank": 67,
            "anyModel": true,
            "defaultModel": "gpt-oss-120b"
          },
          "fireworks": {
            "name": "Fireworks",
            "api": "openai-completions",
            "baseUrl": "https://api.fireworks.ai/inference/v1",
            "env": [
              "FIREWORKS_API_KEY"
            ],
            "anyModel": true,
            "rank": 100
          },
          "together": {
            "name": "Together AI",
            "api": "openai-completions",
            "baseUrl": "https://api.together.xyz/v1",
            "env": [
              "TOGETHER_API_KEY"
            ],
            "anyModel": true,
            "rank": 101
          },
          "huggingface": {
            "name": "Hugging Face",
            "api": "openai-completions",
            "baseUrl": "https://router.huggingface.co/v1",
            "env": [
              "HUGGINGFACE_HUB_TOKEN",
              "HF_TOKEN"
            ],
            "anyModel": true,
            "rank": 102
          },
          "synthetic": {
            "name": "Synthetic",
            "api": "openai-completions",
            "baseUrl": "https://api.synthetic.new/openai/v1",
            "env": [
              "SYNTHETIC_API_KEY"
            ],
            "anyModel": true,
            "rank": 103
          },
          "nvidia": {
            "name": "NVIDIA",
            "api": "openai-completions",
            "baseUrl": "https://integrate.api.nvidia.com/v1",
            "env": [
              "NVIDIA_API_KEY"
            ],
            "anyModel": true,
            "rank": 104
          },
          "nanogpt": {
            "name": "NanoGPT",
            "api": "openai-completions",
            "baseUrl": "https://nano-gpt.com/api/v1",
            "env": [
              "NANO_GPT_API_KEY"
            ],
            "anyModel": true,
            "rank": 105
          },
          "venice": {
            "name": "Venice",
            "api": "openai-completions",
            "baseUrl": "https://api.venice.ai/api/v1",
            "env": [
              "VENICE_API_KEY"
            ],
            "anyModel": true,
            "rank": 106
          },
          "xiaomi": {
            "name": "Xiaomi MiMo",
            "api": "openai-completions",
            "baseUrl": "https://api.xiaomimimo.com/v1",
            "env": [
              "XIAOMI_API_KEY"
            ],
            "anyModel": true,
            "rank": 107,
            "quirks": {
              "thinking": "switch",
              "keepThinking": true
            }
          },
          "opencode-zen": {
            "name": "OpenCode Zen",
            "api": "openai-completions",
            "baseUrl": "https://opencode.ai/zen/v1",
            "env": [
              "OPENCODE_API_KEY"
            ],
            "anyModel": true,
            "rank": 108
          },
          "opencode-go": {
            "name": "OpenCode Go",
            "api": "openai-completions",
            "baseUrl": "https://opencode.ai/zen/go/v1",
            "env": [
              "OPENCODE_API_KEY"
            ],
            "anyModel": true,
            "rank": 109
          },
          "qianfan": {
            "name": "Baidu Qianfan",
            "api": "openai-completions",
            "baseUrl": "https://qianfan.baidubce.com/v2",
            "env": [
              "QIANFAN_API_KEY"
            ],
            "anyModel": true,
            "rank": 110
          },
          "qwen-portal": {
            "name": "Qwen Portal",
            "api": "openai-completions",
            "baseUrl": "https://portal.qwen.ai/v1",
            "env": [
              "QWEN_OAUTH_TOKEN",
              "QWEN_PORTAL_API_KEY"
            ],
            "anyModel": true,
            "rank": 111,
            "quirks": {
              "thinking": "enable"
            }
          },
          "zenmux": {
            "name": "ZenMux",
            "api": "openai-completions",
            "baseUrl": "https://zenmux.ai/api/v1",
            "env": [
              "ZENMUX_API_KEY"
            ],
            "anyModel": true,
            "rank": 112,
            "quirks": {
              "thinking": "reasoning"
            }
          },
          "vercel-ai-gateway": {
            "name": "Vercel AI Gateway",
            "api": "openai-completions",
            "baseUrl": "https://ai-gateway.vercel.sh/v1",
            "env": [
              "AI_GATEWAY_API_KEY"
            ],
            "anyModel": true,
            "rank": 113
          },
          "alibaba-coding-plan": {
            "name": "Alibaba Coding Plan",
            "api": "openai-completions",
            "baseUrl": "https://coding-intl.dashscope.aliyuncs.com/v1",
            "env": [
              "ALIBABA_CODING_PLAN_API_KEY"
            ],
            "anyModel": true,
            "rank": 114,
            "quirks": {
              "thinking": "enable"
            }
          },
          "kilo": {
            "name": "Kilo",
            "api": "openai-completions",
            "baseUrl": "https://api.kilo.ai/api/gateway",
            "env": [
              "KILO_API_KEY"
            ],
            "anyModel": true,
            "rank": 115,
            "quirks": {
              "thinking": "reasoning"
            }
          },
          "ollama-cloud": {
            "name": "Ollama Cloud",
            "api": "openai-completions",
            "baseUrl": "https://ollama.com/v1",
            "env": [
              "OLLAMA_CLOUD_API_KEY"
            ],
            "anyModel": true,
            "rank": 116
          },
          "litellm": {
            "name": "LiteLLM",
            "api": "openai-completions",
            "baseUrl": "http://127.0.0.1:4000/v1",
            "env": [
              "LITELLM_API_KEY"
            ],
            "anyModel": true,
            "rank": 117,
            "baseUrlEnv": "LITELLM_BASE_URL"
          },
          "github-models": {
            "name": "GitHub Models",
            "api": "openai-completions",
            "baseUrl": "https://models.github.ai/inference",
            "env": [
              "GITHUB_MODELS_TOKEN"
            ],
            "anyModel": true,
            "rank": 118
          },
          "minimax": {
            "name": "MiniMax",
            "api": "anthropic-messages",
            "baseUrl": "https://api.minimax.io/anthropic/v1",
            "env": [
              "MINIMAX_API_KEY"
            ],
            "rank": 130,
            "anyModel": true,
            "defaultModel": "MiniMax-M*",
            "quirks": {
              "adaptiveThinking": false
            }
          },
          "minimax-code": {
            "name": "MiniMax Code",
            "api": "anthropic-messages",
            "baseUrl": "https://api.minimax.io/anthropic/v1",
            "env": [
              "MINIMAX_CODE_API_KEY"
            ],
            "rank": 131,
            "anyModel": true,
            "quirks": {
              "adaptiveThinking": false
            }
          },
          "minimax-code-cn": {
            "name": "MiniMax Code (China)",
            "api": "anthropic-messages",
            "baseUrl": "https://api.minimaxi.com/anthropic/v1",
            "env": [
              "MINIMAX_CODE_CN_API_KEY"
            ],
            "rank": 132,
            "anyModel": true,
            "quirks": {
              "adaptiveThinking": false
            }
          },
          "kimi-code": {
            "name": "Kimi Code",
            "api": "anthropic-messages",
            "baseUrl": "https://api.kimi.com/coding/v1",
            "env": [
              "KIMI_API_KEY"
            ],
            "rank": 133,
            "anyModel": true,
            "quirks": {
              "adaptiveThinking": false
            }
          },
          "cloudflare-ai-gateway": {
            "name": "Cloudflare AI Gateway",
            "api": "anthropic-messages",
            "env": [
              "CLOUDFLARE_AI_GATEWAY_API_KEY"
            ],
            "rank": 134,
            "anyModel": true,
            "baseUrlEnv": "CLOUDFLARE_AI_GATEWAY_BASE_URL"
          },
          "anthropic-foundry": {
            "name": "Anthropic via Azure Foundry",
            "api": "anthropic-messages",
            "env": [
              "ANTHROPIC_FOUNDRY_API_KEY"
            ],
            "rank": 135,
            "anyModel": true,
            "baseUrlEnv": "FOUNDRY_BASE_URL",
            "quirks": {
              "bearer": true
            }
          },
          "azure-openai": {
            "name": "Azure OpenAI",
            "api": "openai-responses",
            "env": [
              "AZURE_OPENAI_API_KEY"
            ],
            "rank": 136,
            "anyModel": true,
            "baseUrlEnv": "AZURE_OPENAI_BASE_URL",
            "quirks": {
              "azure": true
            }
          },
          "google-vertex": {
            "name": "Google Vertex AI",
            "api": "google-generative-ai",
            "baseUrl": "https://aiplatform.googleapis.com/v1/publishers/google",
            "env": [
              "GOOGLE_CLOUD_API_KEY"
            ],
            "rank": 137,
            "anyModel": true
          },
          "ollama": {
            "name": "Ollama",
            "api": "openai-completions",
            "baseUrl": "http://127.0.0.1:11434/v1",
            "env": [
              "OLLAMA_API_KEY"
            ],
            "baseUrlEnv": "OLLAMA_BASE_URL",
            "keyOptional": true,
            "probe": "ollama",
            "rank": 200,
            "anyModel": true
          },
          "lm-studio": {
            "name": "LM Studio",
            "api": "openai-completions",
            "baseUrl": "http://127.0.0.1:1234/v1",
            "env": [
              "LM_STUDIO_API_KEY"
            ],
            "baseUrlEnv": "LM_STUDIO_BASE_URL",
            "keyOptional": true,
            "probe": "openai",
            "rank": 201,
            "anyModel": true
          },
          "llama.cpp": {
            "name": "llama.cpp",
            "api": "openai-completions",
            "baseUrl": "http://127.0.0.1:8080/v1",
            "env": [
              "LLAMA_CPP_API_KEY"
            ],
            "baseUrlEnv": "LLAMA_CPP_BASE_URL",
            "keyOptional": true,
            "probe": "openai",
            "rank": 202,
            "anyModel": true,
            "quirks": {
              "thinking": "template"
            }
          },
          "vllm": {
            "name": "vLLM",
            "api": "openai-completions",
            "baseUrl": "http://127.0.0.1:8000/v1",
            "env": [
              "VLLM_API_KEY"
            ],
            "baseUrlEnv": "VLLM_BASE_URL",
            "keyOptional": true,
            "probe": "openai",
            "rank": 203,
            "anyModel": true,
            "quirks": {
              "thinking": "template"
            }
          }
        }
      },
      "sources": [
        "models"
      ],
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "stallTimeoutMs": {
            "type": "integer",
            "minimum": 1000,
            "default": 300000,
            "description": "A provider that sends nothing for this long is given up and asked again."
          },
          "probeLocal": {
            "type": "boolean",
            "default": true,
            "description": "Look for local model servers (Ollama, LM Studio, llama.cpp, vLLM) on this machine."
          },
          "probeTimeoutMs": {
            "type": "integer",
            "minimum": 50,
            "default": 400,
            "description": "How long a local model server may take to answer when it is looked for."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/models/providers/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.providers),
  },
  {
    manifest: {
      "id": "replay",
      "kernel": "^1",
      "description": "Records what a model answers to a cassette and plays it back: the same conversation, without the model.",
      "needs": [
        "folders"
      ],
      "contributes": {
        "providers": {
          "replay": {
            "summary": "Plays recorded answers, or records those of another model.",
            "needsKey": false
          }
        },
        "models": {
          "replay/play": {
            "priority": -100,
            "name": "Replay: play the cassette",
            "api": "replay",
            "contextWindow": 1000000,
            "maxTokens": 64000,
            "input": [
              "text"
            ],
            "reasoning": false,
            "price": {
              "input": 0,
              "output": 0,
              "cacheRead": 0,
              "cacheWrite": 0
            },
            "needsKey": false,
            "onlyByName": true
          },
          "replay/record": {
            "priority": -100,
            "name": "Replay: record another model",
            "api": "replay",
            "contextWindow": 200000,
            "maxTokens": 64000,
            "input": [
              "text"
            ],
            "reasoning": false,
            "needsKey": false,
            "onlyByName": true
          }
        }
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "cassette": {
            "type": "string",
            "minLength": 1,
            "default": "cassette.jsonl",
            "x-scope": "user",
            "x-env": "TENON_REPLAY_CASSETTE",
            "description": "The file that is recorded to and played from, relative to the working folder."
          },
          "match": {
            "type": "string",
            "enum": [
              "strict",
              "position"
            ],
            "default": "strict",
            "x-scope": "user",
            "x-env": "TENON_REPLAY_MATCH",
            "description": "strict: a request must be one that was recorded. position: the n-th request gets the n-th answer."
          },
          "target": {
            "type": "string",
            "default": "",
            "x-scope": "user",
            "x-env": "TENON_REPLAY_TARGET",
            "description": "The model that replay/record asks, as provider/id."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/models/replay/package.json",
    checked: true,
    load: () => import("@tenon/replay").then((module) => module.default),
  },
  {
    manifest: {
      "id": "mcp-server",
      "kernel": "^1",
      "description": "MCP server: offers Tenon's own tools and sessions to other agents.",
      "contributes": {
        "cli-commands": {
          "mcp serve": {
            "summary": "Offer Tenon's tools and sessions to other agents over MCP",
            "group": "MCP",
            "json": true,
            "quiet": true,
            "description": "Speaks MCP on standard input and output, for agents that start it themselves; with --http on a port of this machine, for those that do not.\n\nOffered are Tenon's tools for the folder it runs in, past sessions as resources, and the tool `prompt`, which lets Tenon's agent work on a task. Policy, approval and sandbox hold as in a conversation; where a call needs a yes, the user of the client is asked, if the client can ask.\n\nOver HTTP every request needs a token: that of TENON_MCP_TOKEN, or one that is made up and shown at the start.",
            "flags": {
              "tools": {
                "type": "string",
                "summary": "Only these tools",
                "placeholder": "A,B"
              },
              "http": {
                "type": "string",
                "summary": "Port to listen on; 0 for any that is free",
                "placeholder": "PORT"
              }
            },
            "examples": [
              {
                "command": "claude mcp add tenon -- tenon mcp serve",
                "summary": "Use Tenon's tools in Claude Code"
              },
              {
                "command": "tenon mcp serve --tools read,search,find --http 8808",
                "summary": "Three tools, over HTTP"
              }
            ]
          }
        }
      },
      "handles": [
        "tool.permission"
      ],
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "askClient": {
            "type": "boolean",
            "default": true,
            "description": "Whether the user of the MCP client is asked about calls that need a yes. Otherwise they are refused, and can be allowed with `tenon approval`."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/modes/mcp-server/package.json",
    checked: true,
    load: () => import("@tenon/mcp-server").then((module) => module.default),
  },
  {
    manifest: {
      "id": "modes",
      "kernel": "^1",
      "description": "Starts the agent in a mode: opens the session, reads the input, and hands both to print, RPC or interactive mode.",
      "handles": [
        "context"
      ],
      "defines": {
        "slots": [
          "modes"
        ]
      },
      "contributes": {
        "cli-commands": {
          "agent": {
            "summary": "Work with the agent",
            "group": "Getting started",
            "root": true,
            "description": "The word \"agent\" may be left out when the line begins with a flag, a file or a quoted prompt: `tenon -p \"…\"`.\n\nWords that begin with @ name files that go with the prompt: text, or images for models that see. What is piped in goes with the prompt too, or is the prompt when there is no other.\n\nThe exit code is 0 when the model finished its answer, and 1 when it failed, when its answer is empty or was cut off at the token limit, when the run was stopped, or when a call waits for your approval.",
            "arguments": [
              {
                "name": "prompt",
                "summary": "What to do; @FILE adds a file",
                "variadic": true,
                "complete": "files"
              }
            ],
            "flags": {
              "print": {
                "type": "boolean",
                "summary": "Answer once and exit",
                "short": "p"
              },
              "mode": {
                "type": "string",
                "placeholder": "MODE",
                "summary": "How to work: text, json, rpc, or a mode of a plugin",
                "complete": "slot:modes"
              },
              "json": {
                "type": "boolean",
                "summary": "Answer once; every event as a line of JSON"
              },
              "continue": {
                "type": "boolean",
                "summary": "Go on with the session that was used last in this folder",
                "short": "c"
              },
              "resume": {
                "type": "string",
                "placeholder": "ID",
                "summary": "Go on with this session: its id, or the first letters of it",
                "short": "r"
              },
              "fork": {
                "type": "string",
                "placeholder": "ID",
                "summary": "Go on with a copy of this session"
              },
              "session": {
                "type": "string",
                "placeholder": "FILE",
                "summary": "Use this session file; a new .jsonl file begins a session there",
                "complete": "files"
              },
              "no-session": {
                "type": "boolean",
                "summary": "Keep nothing on disk"
              },
              "model": {
                "type": "string",
                "placeholder": "MODEL",
                "summary": "Use this model: provider/id, or a part of the name; \":high\" sets the thinking",
                "short": "m"
              },
              "thinking": {
                "type": "string",
                "placeholder": "LEVEL",
                "summary": "How hard the model thinks",
                "choices": [
                  "off",
                  "minimal",
                  "low",
                  "medium",
                  "high",
                  "xhigh"
                ]
              },
              "extension": {
                "type": "string",
                "placeholder": "PATH",
                "summary": "Load this extension of pi or oh-my-pi; may be repeated",
                "short": "e",
                "multiple": true,
                "complete": "files"
              },
              "hook": {
                "type": "string",
                "placeholder": "PATH",
                "summary": "The same as --extension",
                "multiple": true,
                "complete": "files"
              },
              "no-extensions": {
                "type": "boolean",
                "summary": "Load no extensions but those of --extension"
              },
              "tools": {
                "type": "string",
                "placeholder": "LIST",
                "summary": "Offer only these tools: names or patterns, separated by commas",
                "complete": "slot:tools"
              },
              "system-prompt": {
                "type": "string",
                "placeholder": "TEXT",
                "summary": "Replace the system prompt; @FILE reads it from a file"
              },
              "append-system-prompt": {
                "type": "string",
                "placeholder": "TEXT",
                "summary": "Add to the system prompt; @FILE reads it from a file"
              }
            },
            "examples": [
              {
                "command": "tenon -p \"rename parseConfig to readConfig everywhere\"",
                "summary": "One task, then exit"
              },
              {
                "command": "git diff | tenon -p \"is anything wrong with this change?\"",
                "summary": "About what is piped in"
              },
              {
                "command": "tenon -p @screenshot.png \"what does this error mean?\"",
                "summary": "With an image"
              },
              {
                "command": "tenon --continue -p \"now the tests\"",
                "summary": "Go on where you were"
              },
              {
                "command": "tenon --mode rpc --no-session",
                "summary": "Let another program drive the agent"
              }
            ]
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/modes/modes/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.modes),
  },
  {
    manifest: {
      "id": "print-mode",
      "kernel": "^1",
      "description": "One prompt in, one answer out: as text, or every event as a line of JSON.",
      "contributes": {
        "modes": {
          "text": {
            "summary": "Print the final answer"
          },
          "json": {
            "summary": "Print every event as a line of JSON"
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/modes/print-mode/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.printMode),
  },
  {
    manifest: {
      "id": "rpc-mode",
      "kernel": "^1",
      "description": "Drives the agent from another program: commands and events as lines of JSON over standard input and output.",
      "contributes": {
        "modes": {
          "rpc": {
            "summary": "Serve another program over standard input and output",
            "takesInput": false
          }
        },
        "url-schemes": {
          "*": {}
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/modes/rpc-mode/package.json",
    checked: true,
    load: () => import("@tenon/rpc-mode").then((module) => module.default),
  },
  {
    manifest: {
      "id": "approval",
      "kernel": "^1",
      "description": "Judges tool calls before they run, asks where that is needed, and keeps the policy.",
      "contributes": {
        "cli-commands": {
          "approval list": {
            "summary": "List the calls that wait for an answer",
            "group": "Safety",
            "json": true
          },
          "approval show": {
            "summary": "Show everything about a call that waits",
            "group": "Safety",
            "json": true,
            "arguments": [
              {
                "name": "id",
                "summary": "Its id, or the first letters of it",
                "required": true
              }
            ]
          },
          "approval allow": {
            "summary": "Let a call through that waits",
            "group": "Safety",
            "json": true,
            "description": "The same call (tool, input and folder) goes through once. An agent that waits for the answer goes on at once; where nobody could be asked, run the task again.",
            "arguments": [
              {
                "name": "id",
                "summary": "Its id, or the first letters of it",
                "required": true
              }
            ],
            "flags": {
              "always": {
                "type": "boolean",
                "summary": "Calls like it from now on: writes a rule into your policy"
              },
              "session": {
                "type": "boolean",
                "summary": "Calls like it in the same session"
              }
            },
            "examples": [
              {
                "command": "tenon approval allow 3f2a",
                "summary": "This call, once"
              },
              {
                "command": "tenon approval allow 3f2a --session",
                "summary": "Calls like it in its session"
              }
            ]
          },
          "approval deny": {
            "summary": "Refuse a call that waits",
            "group": "Safety",
            "json": true,
            "arguments": [
              {
                "name": "id",
                "summary": "Its id, or the first letters of it",
                "required": true
              }
            ],
            "flags": {
              "reason": {
                "type": "string",
                "summary": "What the agent is told",
                "placeholder": "TEXT"
              }
            }
          },
          "approval clear": {
            "summary": "Forget all calls that wait, and what sessions were allowed",
            "group": "Safety",
            "json": true
          },
          "approval explain": {
            "summary": "Show how risky a command is, and why",
            "group": "Safety",
            "json": true,
            "description": "Nothing runs. The tiers: 0 only reads, 1 changes the workspace, 2 reaches out or is hard to undo, 3 destroys.",
            "arguments": [
              {
                "name": "command",
                "summary": "The command; quote it",
                "required": true,
                "variadic": true
              }
            ],
            "examples": [
              {
                "command": "tenon approval explain 'git push --force origin main'",
                "summary": "Why it asks"
              }
            ]
          },
          "policy check": {
            "summary": "Check policies and try their examples",
            "group": "Safety",
            "json": true,
            "description": "Without a file, the policies that hold here. The exit code is 1 when one is invalid.",
            "arguments": [
              {
                "name": "file",
                "summary": "A policy file",
                "complete": "files"
              }
            ]
          },
          "policy list": {
            "summary": "List the rules that hold here",
            "group": "Safety",
            "json": true
          }
        }
      },
      "needs": [
        "folders"
      ],
      "handles": [
        "tool.call"
      ],
      "provides": [
        "approvals"
      ],
      "defines": {
        "services": [
          "approvals"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "mode": {
            "type": "string",
            "enum": [
              "ask",
              "strict",
              "yolo"
            ],
            "default": "ask",
            "x-scope": "user",
            "description": "What asks first: ask (tier 2 and 3), strict (tier 1 too), yolo (tier 3 only)."
          },
          "keepHours": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 8760,
            "default": 72,
            "x-scope": "user",
            "description": "How long a call that nobody has answered is kept."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/safety/approval/package.json",
    checked: true,
    load: () => import("@tenon/approval").then((module) => module.default),
  },
  {
    manifest: {
      "id": "sandbox",
      "kernel": "^1",
      "description": "Starts programs so that they cannot leave a profile.",
      "contributes": {
        "cli-commands": {
          "sandbox status": {
            "summary": "Show what holds the programs that the agent starts",
            "group": "Safety",
            "json": true,
            "description": "Says which sandbox profile holds in this folder and why, what this machine can enforce, and whether Tenon itself runs in a sandbox.",
            "examples": [
              {
                "command": "tenon sandbox status",
                "summary": "What is allowed here"
              }
            ]
          },
          "sandbox run": {
            "summary": "Run a command in the sandbox",
            "group": "Safety",
            "description": "Runs a command as the agent's shell would: in this folder, under the profile of the settings or the one named. The exit code is the command's.",
            "arguments": [
              {
                "name": "command",
                "summary": "The command and its arguments, after two dashes",
                "required": true,
                "variadic": true
              }
            ],
            "flags": {
              "profile": {
                "type": "string",
                "summary": "The profile to use",
                "placeholder": "PROFILE",
                "choices": [
                  "read-only",
                  "workspace-write",
                  "full"
                ]
              }
            },
            "examples": [
              {
                "command": "tenon sandbox run --profile read-only -- npm test",
                "summary": "Run tests that must not change anything"
              }
            ]
          }
        },
        "doctor-checks": {
          "command-sandbox": {
            "title": "Sandbox of commands",
            "order": 55
          }
        }
      },
      "needs": [
        "folders",
        "installed-plugins"
      ],
      "provides": [
        "sandboxes"
      ],
      "defines": {
        "slots": [
          "protected-places"
        ],
        "services": [
          "sandboxes"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "profile": {
            "type": "string",
            "enum": [
              "auto",
              "read-only",
              "workspace-write",
              "full"
            ],
            "default": "auto",
            "x-scope": "user",
            "description": "What programs of the agent may do. `auto` is workspace-write where a sandbox works, else full."
          },
          "mechanism": {
            "type": "string",
            "enum": [
              "auto",
              "bubblewrap",
              "landlock",
              "seatbelt"
            ],
            "default": "auto",
            "x-scope": "user",
            "description": "What enforces the profile; `auto` takes the strongest one that works here."
          },
          "network": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "x-scope": "user",
            "description": "The network inside of a sandbox.",
            "properties": {
              "allow": {
                "type": "array",
                "items": {
                  "type": "string"
                },
                "default": [],
                "x-scope": "user",
                "description": "Hosts that can be reached, through a proxy: packages.example.com, *.example.org, example.com:8080. Everything else is closed."
              }
            }
          },
          "writable": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "default": [],
            "x-scope": "user",
            "description": "More paths that workspace-write may change: absolute, from ~, or from the workspace."
          },
          "readable": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "default": [],
            "x-scope": "user",
            "description": "Paths to show although they are hidden by default."
          },
          "hidden": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "default": [],
            "x-scope": "user",
            "description": "More paths that programs must not see."
          },
          "git": {
            "type": "string",
            "enum": [
              "commit",
              "read-only"
            ],
            "default": "commit",
            "x-scope": "user",
            "description": "Whether workspace-write lets programs commit. Hooks and settings of git stay read-only either way."
          },
          "keepEnvironment": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "default": [],
            "x-scope": "user",
            "description": "Variables that programs get although their names look like secrets."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/safety/sandbox/package.json",
    checked: true,
    load: () => import("@tenon/sandbox").then((module) => module.default),
  },
  {
    manifest: {
      "id": "secrets",
      "kernel": "^1",
      "description": "Masks secrets on the way to models and to disk, and restores them in what models ask for.",
      "needs": [
        "folders"
      ],
      "handles": [
        "model.request",
        "session.persist"
      ],
      "contributes": {
        "stream-filters": {
          "secrets": {}
        },
        "doctor-checks": {
          "secrets": {
            "title": "Secrets",
            "order": 45
          }
        }
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "enabled": {
            "type": "boolean",
            "default": true,
            "x-scope": "user",
            "description": "Whether secrets are masked at all."
          },
          "environment": {
            "type": "boolean",
            "default": true,
            "x-scope": "user",
            "description": "Whether values of environment variables with names like TOKEN or PASSWORD are secrets."
          },
          "detect": {
            "type": "boolean",
            "default": true,
            "x-scope": "user",
            "description": "Whether texts that look like well-known credentials are secrets."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/safety/secrets/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.secrets),
  },
  {
    manifest: {
      "id": "trust",
      "kernel": "^1",
      "description": "Which folders the user trusts: in others, nothing that a project brings along runs.",
      "contributes": {
        "cli-commands": {
          "trust list": {
            "summary": "List the folders that were decided about",
            "group": "Safety",
            "json": true
          },
          "trust add": {
            "summary": "Trust a folder and everything below it",
            "group": "Safety",
            "json": true,
            "description": "What a trusted project brings along may run: commands, hooks, MCP servers, extensions, and allow rules of its policy.",
            "arguments": [
              {
                "name": "folder",
                "summary": "The folder; the current one if absent",
                "complete": "folders"
              }
            ],
            "flags": {
              "force": {
                "type": "boolean",
                "summary": "Also the home folder, or one that holds it"
              }
            }
          },
          "trust remove": {
            "summary": "Take trust back",
            "group": "Safety",
            "json": true,
            "description": "The folder is not trusted from then on, also where a folder above it is. With --forget you are asked again instead.",
            "arguments": [
              {
                "name": "folder",
                "summary": "The folder; the current one if absent",
                "complete": "folders"
              }
            ],
            "flags": {
              "forget": {
                "type": "boolean",
                "summary": "Forget the decision, so that you are asked again"
              }
            }
          },
          "trust status": {
            "summary": "Show whether a folder is trusted",
            "group": "Safety",
            "json": true,
            "description": "The exit code is 1 when the folder is not trusted.",
            "arguments": [
              {
                "name": "folder",
                "summary": "The folder; the current one if absent",
                "complete": "folders"
              }
            ],
            "examples": [
              {
                "command": "tenon trust status && make",
                "summary": "Only where the folder is trusted"
              }
            ]
          }
        }
      },
      "needs": [
        "folders",
        "installed-plugins"
      ],
      "provides": [
        "workspace-trust"
      ],
      "defines": {
        "services": [
          "workspace-trust"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/safety/trust/package.json",
    checked: true,
    load: () => import("@tenon/trust").then((module) => module.default),
  },
  {
    manifest: {
      "id": "documents",
      "kernel": "^1",
      "description": "Formats that are not text: PDF and office documents, images, archives, SQLite databases.",
      "provides": [
        "documents",
        "archives",
        "databases"
      ],
      "defines": {
        "services": [
          "documents",
          "archives",
          "databases"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/documents/package.json",
    checked: true,
    load: () => import("@tenon/documents").then((module) => module.default),
  },
  {
    manifest: {
      "id": "eval-tools",
      "kernel": "^1",
      "description": "Runs cells of Python and JavaScript in kernels that stay: `eval`.",
      "contributes": {
        "tools": {
          "eval": {
            "summary": "Run cells of Python or JavaScript",
            "risk": "exec",
            "discoverable": true,
            "keywords": [
              "code",
              "script",
              "REPL",
              "Jupyter",
              "notebook",
              "interpreter",
              "node",
              "plot",
              "data analysis"
            ],
            "render": {
              "shows": "terminal",
              "title": "input"
            }
          }
        }
      },
      "handles": [
        "session.shutdown",
        "session.switch",
        "user.python"
      ],
      "needs": [
        "folders",
        "tool-runner"
      ],
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "languages": {
            "type": "array",
            "items": {
              "type": "string",
              "enum": [
                "python",
                "javascript"
              ]
            },
            "default": [
              "python",
              "javascript"
            ],
            "description": "The languages that cells may be written in."
          },
          "timeoutSeconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 600,
            "default": 30,
            "description": "How long a cell may run when its header does not say."
          },
          "idleMinutes": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": 1440,
            "default": 30,
            "description": "After how many minutes without a cell a kernel is ended."
          },
          "maxKernels": {
            "type": "integer",
            "minimum": 1,
            "maximum": 64,
            "default": 8,
            "description": "How many kernels there may be at once; the one that was used longest ago gives way."
          },
          "python": {
            "type": "string",
            "x-scope": "user",
            "description": "The Python to use; that of the virtual environment or of PATH when absent."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/eval-tools/package.json",
    checked: true,
    load: () => import("@tenon/eval-tools").then((module) => module.default),
  },
  {
    manifest: {
      "id": "file-tools",
      "kernel": "^1",
      "description": "Reads, writes and edits files: `read`, `write`, `edit`.",
      "contributes": {
        "tools": {
          "read": {
            "summary": "Read a file (with line anchors), a folder, image, document, archive, database or URL",
            "risk": "read"
          },
          "write": {
            "summary": "Create a file or replace its whole content, also in an archive; change rows of a database",
            "risk": "write"
          },
          "edit": {
            "summary": "Change lines of files by the anchors that read and search show",
            "risk": "write"
          }
        },
        "edit-modes": {
          "hashline": {
            "summary": "Lines named by the anchors of read and search"
          },
          "replace": {
            "summary": "Old and new text, exact or nearly so"
          },
          "patch": {
            "summary": "One diff for each file"
          },
          "apply_patch": {
            "summary": "The patch envelope of Codex models"
          },
          "vim": {
            "summary": "Keys of vim on a buffer that stays open"
          }
        }
      },
      "needs": [
        "folders"
      ],
      "provides": [
        "file-views",
        "file-changes",
        "edit-tools",
        "edit-preview"
      ],
      "defines": {
        "slots": [
          "edit-modes"
        ],
        "services": [
          "file-views",
          "file-changes",
          "edit-tools",
          "edit-preview"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "read": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "defaultLimit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 3000,
                "default": 500,
                "description": "Lines that read shows when no range is given."
              },
              "summaryFromLines": {
                "type": "integer",
                "minimum": 1,
                "default": 300,
                "description": "From how many lines on read shows the outline of a source file instead of its first lines."
              }
            }
          },
          "edit": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "mode": {
                "type": "string",
                "default": "hashline",
                "x-env": "TENON_EDIT_MODE",
                "description": "How edits are written: `hashline` (line anchors), `replace` (old and new text), `patch`, `apply_patch`, `vim`, or a mode of another plugin."
              },
              "generatedFiles": {
                "type": "string",
                "enum": [
                  "refuse",
                  "allow"
                ],
                "default": "refuse",
                "description": "Whether lock files, minified files and files that say they are generated may be edited."
              }
            }
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/file-tools/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.fileTools),
  },
  {
    manifest: {
      "id": "planning-tools",
      "kernel": "^1",
      "description": "Plans, asks and goes back: `todo_write`, `ask`, `checkpoint`, `rewind`.",
      "contributes": {
        "tools": {
          "todo_write": {
            "summary": "Keep the plan of a task with several steps",
            "risk": "read",
            "exclusive": true,
            "render": {
              "shows": "list"
            }
          },
          "ask": {
            "summary": "Ask the user",
            "risk": "read",
            "exclusive": true,
            "render": {
              "shows": "text"
            }
          },
          "checkpoint": {
            "summary": "Mark this point of the conversation before an exploration",
            "risk": "read",
            "exclusive": true,
            "discoverable": true,
            "render": {
              "title": "goal"
            },
            "keywords": [
              "context",
              "explore",
              "save"
            ]
          },
          "rewind": {
            "summary": "Take the conversation back to the checkpoint and keep a report",
            "risk": "read",
            "exclusive": true,
            "discoverable": true,
            "render": {
              "title": "report"
            },
            "keywords": [
              "context",
              "undo",
              "go back"
            ]
          }
        }
      },
      "needs": [
        "folders",
        "live-agents"
      ],
      "provides": [
        "todos"
      ],
      "handles": [
        "agent.before-start",
        "agent.stop",
        "context",
        "session.compacting"
      ],
      "defines": {
        "services": [
          "todos"
        ],
        "hooks": [
          "todos.changed"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "todo": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "reminders": {
                "type": "boolean",
                "default": true,
                "description": "Whether an agent that stops with open tasks is reminded of them."
              },
              "reminderLimit": {
                "type": "integer",
                "minimum": 1,
                "default": 3,
                "description": "How often one run is reminded at most."
              }
            }
          },
          "ask": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "timeout": {
                "type": "number",
                "minimum": 0,
                "default": 30,
                "description": "Seconds after which the recommended option is taken; 0 waits for ever."
              },
              "notify": {
                "type": "boolean",
                "default": true,
                "description": "Whether the user is notified that a question waits."
              }
            }
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/planning-tools/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.planningTools),
  },
  {
    manifest: {
      "id": "search-tools",
      "kernel": "^1",
      "description": "Finds files by name and text: `find`, `search`.",
      "contributes": {
        "tools": {
          "find": {
            "summary": "Find files by glob, newest first",
            "risk": "read",
            "render": {
              "shows": "files",
              "title": "paths"
            }
          },
          "search": {
            "summary": "Search file contents by regex, with line anchors",
            "risk": "read",
            "render": {
              "shows": "matches",
              "title": "pattern"
            }
          }
        }
      },
      "needs": [
        "folders",
        "file-views",
        "url-router"
      ],
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "contextBefore": {
            "type": "integer",
            "minimum": 0,
            "maximum": 20,
            "default": 1,
            "description": "Lines that search shows before a match."
          },
          "contextAfter": {
            "type": "integer",
            "minimum": 0,
            "maximum": 20,
            "default": 3,
            "description": "Lines that search shows after a match."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/search-tools/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.searchTools),
  },
  {
    manifest: {
      "id": "shell-tools",
      "kernel": "^1",
      "description": "Runs shell commands in a persistent session: `bash`.",
      "contributes": {
        "tools": {
          "bash": {
            "summary": "Run a shell command",
            "risk": "exec"
          }
        }
      },
      "handles": [
        "session.shutdown",
        "session.switch"
      ],
      "needs": [
        "folders"
      ],
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "timeoutSeconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 3600,
            "default": 300,
            "description": "How long a command may run when it does not say."
          },
          "backgroundAfterSeconds": {
            "type": "integer",
            "minimum": 0,
            "maximum": 3600,
            "default": 60,
            "description": "After how many seconds a command goes on as a background job; 0 never."
          },
          "bash": {
            "type": "string",
            "x-scope": "user",
            "description": "The bash to use; the one in PATH when absent."
          },
          "startFiles": {
            "type": "boolean",
            "default": true,
            "x-scope": "user",
            "description": "Whether commands see the aliases, functions and variables of your own ~/.bashrc."
          },
          "intercept": {
            "type": "boolean",
            "default": true,
            "description": "Whether simple commands that another tool does better are refused, with the name of that tool."
          },
          "interceptRules": {
            "type": "array",
            "description": "Which simple commands are refused, and what to use instead.",
            "items": {
              "type": "object",
              "additionalProperties": false,
              "required": [
                "programs",
                "tool",
                "message"
              ],
              "properties": {
                "programs": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "Names of programs."
                },
                "onlyWith": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "Only with one of these options."
                },
                "notWith": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  },
                  "description": "Never with one of these options."
                },
                "when": {
                  "type": "string",
                  "enum": [
                    "file",
                    "write",
                    "here-document"
                  ],
                  "description": "Only with a file as operand, with output into a file, or with a here-document into a file."
                },
                "operands": {
                  "type": "integer",
                  "minimum": 0,
                  "description": "How many operands before the first file."
                },
                "tool": {
                  "type": "string",
                  "description": "The tool to use; without it the rule does not count."
                },
                "message": {
                  "type": "string",
                  "description": "What the model is told."
                }
              }
            },
            "default": [
              {
                "programs": [
                  "cat",
                  "head",
                  "tail",
                  "less",
                  "more",
                  "bat"
                ],
                "when": "file",
                "notWith": [
                  "-f",
                  "-F",
                  "--follow",
                  "-c",
                  "--bytes",
                  "-A",
                  "-v"
                ],
                "tool": "read",
                "message": "`read` shows files, with anchors for `edit`."
              },
              {
                "programs": [
                  "grep",
                  "egrep",
                  "fgrep"
                ],
                "when": "file",
                "operands": 1,
                "notWith": [
                  "-c",
                  "-q",
                  "-v",
                  "--count",
                  "--quiet"
                ],
                "tool": "search",
                "message": "`search` finds text in files."
              },
              {
                "programs": [
                  "grep",
                  "egrep",
                  "fgrep"
                ],
                "onlyWith": [
                  "-r",
                  "-R",
                  "--recursive"
                ],
                "notWith": [
                  "-c",
                  "-q",
                  "-v",
                  "--count",
                  "--quiet"
                ],
                "tool": "search",
                "message": "`search` finds text in files."
              },
              {
                "programs": [
                  "rg",
                  "ripgrep",
                  "ag",
                  "ack"
                ],
                "notWith": [
                  "--files",
                  "-c",
                  "-q",
                  "-v",
                  "--count",
                  "--quiet",
                  "--version",
                  "--help",
                  "--type-list"
                ],
                "tool": "search",
                "message": "`search` finds text in files."
              },
              {
                "programs": [
                  "find"
                ],
                "onlyWith": [
                  "-name",
                  "-iname",
                  "-path",
                  "-ipath",
                  "-wholename",
                  "-regex",
                  "-iregex",
                  "-type"
                ],
                "notWith": [
                  "-exec",
                  "-execdir",
                  "-ok",
                  "-okdir",
                  "-delete",
                  "-printf",
                  "-fprintf",
                  "-print0",
                  "-ls",
                  "-size",
                  "-mtime",
                  "-mmin",
                  "-newer",
                  "-atime",
                  "-ctime",
                  "-perm",
                  "-user",
                  "-group",
                  "-empty",
                  "-links",
                  "-inum"
                ],
                "tool": "find",
                "message": "`find` finds files by name."
              },
              {
                "programs": [
                  "fd",
                  "fdfind",
                  "locate"
                ],
                "notWith": [
                  "-x",
                  "-X",
                  "--exec",
                  "--exec-batch",
                  "--version",
                  "--help"
                ],
                "tool": "find",
                "message": "`find` finds files by name."
              },
              {
                "programs": [
                  "sed"
                ],
                "onlyWith": [
                  "-i",
                  "--in-place"
                ],
                "tool": "edit",
                "message": "`edit` changes files, and checks them first."
              },
              {
                "programs": [
                  "perl",
                  "ruby"
                ],
                "onlyWith": [
                  "-i"
                ],
                "tool": "edit",
                "message": "`edit` changes files, and checks them first."
              },
              {
                "programs": [
                  "awk",
                  "gawk"
                ],
                "onlyWith": [
                  "inplace"
                ],
                "tool": "edit",
                "message": "`edit` changes files, and checks them first."
              },
              {
                "programs": [
                  "cat"
                ],
                "when": "here-document",
                "tool": "write",
                "message": "`write` makes files."
              },
              {
                "programs": [
                  "echo",
                  "printf"
                ],
                "when": "write",
                "tool": "write",
                "message": "`write` makes files."
              }
            ]
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/shell-tools/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.shellTools),
  },
  {
    manifest: {
      "id": "small-tools",
      "kernel": "^1",
      "description": "Arithmetic, diagrams and the tasks of a project: `calc`, `render_mermaid`, `recipe`.",
      "contributes": {
        "tools": {
          "calc": {
            "summary": "Calculate arithmetic expressions; whole numbers are exact",
            "risk": "read",
            "discoverable": true,
            "render": {
              "shows": "list"
            },
            "keywords": [
              "math",
              "calculator",
              "numbers",
              "sum",
              "percent",
              "convert hex binary"
            ]
          },
          "render_mermaid": {
            "summary": "Draw a Mermaid diagram as text",
            "risk": "read",
            "discoverable": true,
            "render": {
              "shows": "diagram",
              "title": "mermaid"
            },
            "keywords": [
              "chart",
              "graph",
              "flowchart",
              "sequence",
              "architecture",
              "visualize"
            ]
          },
          "recipe": {
            "summary": "List and run the project's tasks: just, npm/pnpm/yarn/bun scripts, cargo, make, Taskfile",
            "risk": "read",
            "exclusive": true,
            "discoverable": true,
            "render": {
              "shows": "terminal",
              "title": "op"
            },
            "keywords": [
              "build",
              "test",
              "task runner",
              "Makefile",
              "justfile",
              "package.json"
            ]
          }
        },
        "task-runners": {
          "just": {
            "label": "just",
            "program": "just"
          },
          "pkg": {
            "label": "package scripts"
          },
          "cargo": {
            "label": "cargo",
            "program": "cargo"
          },
          "make": {
            "label": "make",
            "program": "make"
          },
          "task": {
            "label": "Taskfile",
            "program": "task"
          }
        }
      },
      "needs": [
        "folders",
        "tool-runner"
      ],
      "defines": {
        "slots": [
          "task-runners"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/small-tools/package.json",
    checked: true,
    load: () => import("@tenon/small-tools").then((module) => module.default),
  },
  {
    manifest: {
      "id": "syntax-tools",
      "kernel": "^1",
      "description": "Searches and rewrites code by structure: `ast_grep`, `ast_edit`, `resolve`.",
      "contributes": {
        "tools": {
          "ast_grep": {
            "summary": "Search code by its structure",
            "risk": "read",
            "render": {
              "shows": "matches",
              "title": "pat"
            }
          },
          "ast_edit": {
            "summary": "Preview a structural rewrite; resolve applies it",
            "risk": "read",
            "exclusive": true,
            "render": {
              "shows": "diff"
            }
          },
          "resolve": {
            "summary": "Apply or discard a previewed change",
            "risk": "write",
            "render": {
              "title": "reason"
            }
          }
        }
      },
      "needs": [
        "folders",
        "file-views",
        "file-changes",
        "url-router"
      ],
      "provides": [
        "pending-actions"
      ],
      "defines": {
        "services": [
          "pending-actions"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "maxFiles": {
            "type": "integer",
            "minimum": 1,
            "default": 1000,
            "description": "How many files one rewrite may change.",
            "x-env": "TENON_MAX_AST_FILES"
          }
        }
      },
      "handles": [
        "agent.stop"
      ],
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/syntax-tools/package.json",
    checked: true,
    load: () => import('./prompt-plugins.ts').then((module) => module.syntaxTools),
  },
  {
    manifest: {
      "id": "web-tools",
      "kernel": "^1",
      "description": "Reads web pages and searches the web: `fetch`, `web_search`, http:// and https:// addresses.",
      "contributes": {
        "tools": {
          "fetch": {
            "summary": "Read a web page, document or image on the web",
            "risk": "net",
            "discoverable": true,
            "keywords": [
              "internet",
              "HTTP request",
              "URL",
              "download",
              "browser",
              "scrape",
              "documentation"
            ],
            "render": {
              "shows": "text",
              "title": "url"
            }
          },
          "web_search": {
            "summary": "Search the web",
            "risk": "net",
            "discoverable": true,
            "keywords": [
              "internet",
              "Google",
              "online",
              "news",
              "look up"
            ],
            "render": {
              "shows": "list",
              "title": "query"
            }
          }
        },
        "url-schemes": {
          "http": {
            "description": "Web pages, made readable."
          },
          "https": {
            "description": "Web pages, made readable."
          }
        },
        "scrapers": {
          "github": {
            "summary": "Repositories, files, issues, pull requests, commits, releases and gists",
            "hosts": [
              "github.com",
              "gist.github.com"
            ]
          },
          "npm": {
            "summary": "Packages of npm",
            "hosts": [
              "npmjs.com"
            ],
            "path": "^/package/"
          },
          "pypi": {
            "summary": "Packages of PyPI",
            "hosts": [
              "pypi.org"
            ],
            "path": "^/project/"
          },
          "crates": {
            "summary": "Crates of crates.io",
            "hosts": [
              "crates.io"
            ],
            "path": "^/crates/"
          },
          "arxiv": {
            "summary": "Papers of arXiv",
            "hosts": [
              "arxiv.org"
            ],
            "path": "^/abs/"
          },
          "stackexchange": {
            "summary": "Questions of Stack Overflow and its sister sites",
            "hosts": [
              "stackoverflow.com",
              "serverfault.com",
              "superuser.com",
              "askubuntu.com",
              "mathoverflow.net",
              "*.stackexchange.com"
            ],
            "path": "^/(?:questions|q|a)/\\d"
          },
          "wikipedia": {
            "summary": "Articles of Wikipedia",
            "hosts": [
              "wikipedia.org",
              "*.wikipedia.org"
            ],
            "path": "^/wiki/"
          },
          "hackernews": {
            "summary": "Discussions of Hacker News",
            "hosts": [
              "news.ycombinator.com"
            ],
            "path": "^/item\\?"
          },
          "mdn": {
            "summary": "Pages of MDN",
            "hosts": [
              "developer.mozilla.org"
            ],
            "path": "/docs/"
          },
          "feed": {
            "summary": "RSS, Atom and JSON feeds",
            "path": "(?:\\.(?:rss|atom|rdf)|/(?:feed|rss|atom)(?:\\.xml|\\.json)?|/(?:index|feeds?)\\.xml)/?$"
          }
        },
        "search-engines": {
          "perplexity": {
            "title": "Perplexity",
            "baseUrl": "https://api.perplexity.ai",
            "env": [
              "PERPLEXITY_API_KEY"
            ],
            "auth": "perplexity",
            "model": "sonar"
          },
          "brave": {
            "title": "Brave Search",
            "baseUrl": "https://api.search.brave.com",
            "env": [
              "BRAVE_API_KEY"
            ],
            "auth": "brave"
          },
          "jina": {
            "title": "Jina",
            "baseUrl": "https://s.jina.ai",
            "env": [
              "JINA_API_KEY"
            ],
            "auth": "jina"
          },
          "kimi": {
            "title": "Kimi",
            "baseUrl": "https://api.kimi.com/coding/v1",
            "env": [
              "MOONSHOT_SEARCH_API_KEY",
              "KIMI_SEARCH_API_KEY"
            ],
            "auth": "kimi-code",
            "baseUrlEnv": [
              "MOONSHOT_SEARCH_BASE_URL",
              "KIMI_SEARCH_BASE_URL"
            ]
          },
          "anthropic": {
            "title": "Anthropic",
            "baseUrl": "https://api.anthropic.com",
            "env": [
              "ANTHROPIC_SEARCH_API_KEY",
              "ANTHROPIC_API_KEY"
            ],
            "baseUrlEnv": [
              "ANTHROPIC_SEARCH_BASE_URL"
            ],
            "model": "claude-haiku-4-5",
            "modelEnv": "ANTHROPIC_SEARCH_MODEL"
          },
          "gemini": {
            "title": "Gemini",
            "baseUrl": "https://generativelanguage.googleapis.com",
            "env": [
              "GEMINI_API_KEY",
              "GOOGLE_GENERATIVE_AI_API_KEY"
            ],
            "auth": "google",
            "model": "gemini-2.5-flash"
          },
          "openai": {
            "title": "OpenAI",
            "baseUrl": "https://api.openai.com",
            "env": [
              "OPENAI_API_KEY"
            ],
            "model": "gpt-5-mini",
            "modelEnv": "TENON_OPENAI_SEARCH_MODEL"
          },
          "zai": {
            "title": "Z.ai",
            "baseUrl": "https://api.z.ai/api/paas/v4",
            "env": [
              "ZAI_API_KEY"
            ],
            "auth": "zai"
          },
          "exa": {
            "title": "Exa",
            "baseUrl": "https://api.exa.ai",
            "env": [
              "EXA_API_KEY"
            ],
            "auth": "exa"
          },
          "tavily": {
            "title": "Tavily",
            "baseUrl": "https://api.tavily.com",
            "env": [
              "TAVILY_API_KEY"
            ],
            "auth": "tavily"
          },
          "kagi": {
            "title": "Kagi",
            "baseUrl": "https://kagi.com",
            "env": [
              "KAGI_API_KEY"
            ],
            "auth": "kagi"
          },
          "parallel": {
            "title": "Parallel",
            "baseUrl": "https://api.parallel.ai",
            "env": [
              "PARALLEL_API_KEY"
            ],
            "auth": "parallel"
          },
          "google": {
            "title": "Google Programmable Search",
            "baseUrl": "https://www.googleapis.com",
            "env": [
              "GOOGLE_CSE_API_KEY"
            ],
            "auth": "google-cse",
            "alsoNeeds": [
              "GOOGLE_CSE_ID"
            ]
          },
          "synthetic": {
            "title": "Synthetic",
            "baseUrl": "https://api.synthetic.new",
            "env": [
              "SYNTHETIC_API_KEY"
            ],
            "auth": "synthetic"
          },
          "searxng": {
            "title": "SearXNG",
            "env": [
              "SEARXNG_TOKEN"
            ],
            "baseUrlEnv": [
              "SEARXNG_ENDPOINT"
            ],
            "keyOptional": true
          }
        },
        "endpoints": {
          "brave": {
            "name": "Brave Search",
            "api": "none",
            "env": [
              "BRAVE_API_KEY"
            ],
            "rank": 900
          },
          "exa": {
            "name": "Exa",
            "api": "none",
            "env": [
              "EXA_API_KEY"
            ],
            "rank": 900
          },
          "jina": {
            "name": "Jina",
            "api": "none",
            "env": [
              "JINA_API_KEY"
            ],
            "rank": 900
          },
          "kagi": {
            "name": "Kagi",
            "api": "none",
            "env": [
              "KAGI_API_KEY"
            ],
            "rank": 900
          },
          "parallel": {
            "name": "Parallel",
            "api": "none",
            "env": [
              "PARALLEL_API_KEY"
            ],
            "rank": 900
          },
          "perplexity": {
            "name": "Perplexity",
            "api": "none",
            "env": [
              "PERPLEXITY_API_KEY"
            ],
            "rank": 900
          },
          "tavily": {
            "name": "Tavily",
            "api": "none",
            "env": [
              "TAVILY_API_KEY"
            ],
            "rank": 900
          },
          "google-cse": {
            "name": "Google Programmable Search",
            "api": "none",
            "env": [
              "GOOGLE_CSE_API_KEY"
            ],
            "rank": 900
          }
        }
      },
      "needs": [
        "folders"
      ],
      "provides": [
        "web-reader"
      ],
      "defines": {
        "slots": [
          "scrapers",
          "search-engines"
        ],
        "services": [
          "web-reader"
        ]
      },
      "settings": {
        "type": "object",
        "additionalProperties": false,
        "properties": {
          "privateAddresses": {
            "type": "string",
            "enum": [
              "refuse",
              "allow"
            ],
            "default": "refuse",
            "x-scope": "user",
            "description": "Whether pages of this machine and of private networks may be read."
          },
          "allowHosts": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "default": [],
            "x-scope": "user",
            "description": "Hosts that may be read although they are private: \"localhost:3000\", \"wiki.example.org\", \"10.0.0.0/8\"."
          },
          "timeoutSeconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 300,
            "default": 20,
            "description": "How long a page may take."
          },
          "maxMegabytes": {
            "type": "integer",
            "minimum": 1,
            "maximum": 200,
            "default": 20,
            "description": "The most that is read of a page or document, unpacked."
          },
          "cacheMinutes": {
            "type": "integer",
            "minimum": 0,
            "maximum": 1440,
            "default": 15,
            "description": "How long a page is given again without asking its server. After that the server is asked whether it changed."
          },
          "scrapers": {
            "type": "boolean",
            "default": true,
            "description": "Whether known sites are read by their own interfaces."
          },
          "sites": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "x-scope": "user",
            "properties": {
              "github": {
                "type": "string",
                "default": "https://api.github.com",
                "description": "Where the interface of GitHub is."
              },
              "githubRaw": {
                "type": "string",
                "default": "https://raw.githubusercontent.com",
                "description": "Where the files of GitHub are."
              },
              "npm": {
                "type": "string",
                "default": "",
                "description": "Where the npm registry is; without it, the one beside npm's site."
              },
              "pypi": {
                "type": "string",
                "default": "https://pypi.org",
                "description": "Where the interface of PyPI is."
              },
              "crates": {
                "type": "string",
                "default": "https://crates.io",
                "description": "Where the interface of crates.io is."
              },
              "arxiv": {
                "type": "string",
                "default": "https://export.arxiv.org",
                "description": "Where the interface of arXiv is."
              },
              "stackexchange": {
                "type": "string",
                "default": "https://api.stackexchange.com",
                "description": "Where the interface of Stack Exchange is."
              },
              "wikipedia": {
                "type": "string",
                "default": "https://{lang}.wikipedia.org",
                "description": "Where Wikipedia is; {lang} stands for the language."
              },
              "hackernews": {
                "type": "string",
                "default": "https://hn.algolia.com",
                "description": "Where the interface of Hacker News is."
              },
              "mdn": {
                "type": "string",
                "default": "https://developer.mozilla.org",
                "description": "Where the interface of MDN is."
              }
            }
          },
          "search": {
            "type": "object",
            "additionalProperties": false,
            "default": {},
            "properties": {
              "order": {
                "type": "array",
                "items": {
                  "type": "string"
                },
                "default": [
                  "perplexity",
                  "brave",
                  "jina",
                  "kimi",
                  "anthropic",
                  "gemini",
                  "openai",
                  "zai",
                  "exa",
                  "tavily",
                  "kagi",
                  "parallel",
                  "google",
                  "synthetic",
                  "searxng"
                ],
                "description": "In which order the engines that have a key are asked."
              },
              "results": {
                "type": "integer",
                "minimum": 1,
                "maximum": 30,
                "default": 8,
                "description": "How many results a search gives."
              },
              "engines": {
                "type": "object",
                "default": {},
                "x-scope": "user",
                "description": "By engine: another base URL, another model.",
                "additionalProperties": {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "baseUrl": {
                      "type": "string"
                    },
                    "model": {
                      "type": "string"
                    }
                  }
                }
              }
            }
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/web-tools/package.json",
    checked: true,
    load: () => import("@tenon/web-tools").then((module) => module.default),
  },
];
