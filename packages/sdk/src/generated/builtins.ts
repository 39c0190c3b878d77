// Made by `node scripts/generate-builtins.mjs` from packages/plugins/*/package.json. Do not edit.
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
        "agent-factory"
      ],
      "defines": {
        "slots": [
          "stream-filters"
        ],
        "services": [
          "agent-factory"
        ],
        "hooks": [
          "input",
          "agent.before-start",
          "context",
          "model.request",
          "agent.event",
          "model.used",
          "session.before-compact",
          "session.compacting",
          "session.compacted"
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
              }
            },
            "default": {}
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/agent/package.json",
    checked: true,
    load: () => import("@tenon/agent").then((module) => module.default),
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
          "folders",
          "kernel-view",
          "command-line"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/command-line/package.json",
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
    file: "packages/plugins/doctor/package.json",
    checked: true,
    load: () => import("@tenon/doctor").then((module) => module.default),
  },
  {
    manifest: {
      "id": "file-tools",
      "kernel": "^1",
      "description": "Reads, writes and edits files: `read`, `write`, `edit`.",
      "contributes": {
        "tools": {
          "read": {
            "summary": "Read a file (with line anchors), a folder or an image",
            "risk": "read"
          },
          "write": {
            "summary": "Create a file or replace its whole content",
            "risk": "write"
          },
          "edit": {
            "summary": "Change lines of files by the anchors that read and search show",
            "risk": "write"
          }
        }
      },
      "needs": [
        "folders"
      ],
      "provides": [
        "file-views",
        "file-changes"
      ],
      "defines": {
        "services": [
          "file-views",
          "file-changes"
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
                "enum": [
                  "hashline",
                  "replace"
                ],
                "default": "hashline",
                "description": "How edits are written: by line anchors, or as old and new text."
              },
              "generatedFiles": {
                "type": "string",
                "enum": [
                  "refuse",
                  "allow"
                ],
                "default": "refuse",
                "description": "Whether files that say they are generated may be edited."
              }
            }
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/file-tools/package.json",
    checked: true,
    load: () => import("@tenon/file-tools").then((module) => module.default),
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
    file: "packages/plugins/models/package.json",
    checked: true,
    load: () => import("@tenon/models").then((module) => module.default),
  },
  {
    manifest: {
      "id": "modes",
      "kernel": "^1",
      "description": "Starts the agent in a mode: opens the session, reads the input, and hands both to print, RPC or interactive mode.",
      "provides": [
        "user-interface"
      ],
      "handles": [
        "context"
      ],
      "defines": {
        "slots": [
          "modes"
        ],
        "services": [
          "user-interface"
        ]
      },
      "contributes": {
        "cli-commands": {
          "agent": {
            "summary": "Work with the agent",
            "group": "Getting started",
            "root": true,
            "description": "The word \"agent\" may be left out when the line begins with a flag, a file or a quoted prompt: `tenon -p \"…\"`.\n\nWords that begin with @ name files that go with the prompt: text, or images for models that see. What is piped in goes with the prompt too, or is the prompt when there is no other.\n\nThe exit code is 1 when the model failed, the run was stopped, or a tool was refused.",
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
                "summary": "Use this session file",
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
              "tools": {
                "type": "string",
                "placeholder": "LIST",
                "summary": "Offer only these tools, separated by commas",
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
    file: "packages/plugins/modes/package.json",
    checked: true,
    load: () => import("@tenon/modes").then((module) => module.default),
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
    file: "packages/plugins/offline/package.json",
    checked: true,
    load: () => import("@tenon/offline").then((module) => module.default),
  },
  {
    manifest: {
      "id": "pack-host",
      "kernel": "^1",
      "description": "Runs third-party packs out of process, under the operating system's sandbox.",
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
    file: "packages/plugins/pack-host/package.json",
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
            "summary": "List the installed packs",
            "group": "Plugins",
            "json": true,
            "description": "Shows where each pack comes from, whether it runs isolated or with full trust, and what it may do.",
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
            "summary": "Let a pack start again",
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
            "summary": "Keep a pack from starting",
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
      "version": "0.1.0"
    },
    file: "packages/plugins/packs/package.json",
    checked: true,
    load: () => import("@tenon/packs").then((module) => module.default),
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
    file: "packages/plugins/print-mode/package.json",
    checked: true,
    load: () => import("@tenon/print-mode").then((module) => module.default),
  },
  {
    manifest: {
      "id": "providers",
      "kernel": "^1",
      "description": "Speaks the wire protocols of model providers, and knows their endpoints.",
      "contributes": {
        "providers": {
          "anthropic-messages": {
            "title": "Anthropic Messages"
          },
          "openai-responses": {
            "title": "OpenAI Responses"
          },
          "openai-completions": {
            "title": "OpenAI Chat Completions"
          },
          "google-generative-ai": {
            "title": "Google Generative AI"
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
    file: "packages/plugins/providers/package.json",
    checked: true,
    load: () => import("@tenon/providers").then((module) => module.default),
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
    file: "packages/plugins/replay/package.json",
    checked: true,
    load: () => import("@tenon/replay").then((module) => module.default),
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
    file: "packages/plugins/rpc-mode/package.json",
    checked: true,
    load: () => import("@tenon/rpc-mode").then((module) => module.default),
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
            "risk": "read"
          },
          "search": {
            "summary": "Search file contents by regex, with line anchors",
            "risk": "read"
          }
        }
      },
      "needs": [
        "folders",
        "file-views"
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
    file: "packages/plugins/search-tools/package.json",
    checked: true,
    load: () => import("@tenon/search-tools").then((module) => module.default),
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
    file: "packages/plugins/secrets/package.json",
    checked: true,
    load: () => import("@tenon/secrets").then((module) => module.default),
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
            ]
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
            }
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/session-export/package.json",
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
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/sessions/package.json",
    checked: true,
    load: () => import("@tenon/sessions").then((module) => module.default),
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
    file: "packages/plugins/settings/package.json",
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
    file: "packages/plugins/settings-files/package.json",
    checked: true,
    load: () => import("@tenon/settings-files").then((module) => module.default),
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
          "bash": {
            "type": "string",
            "x-scope": "user",
            "description": "The bash to use; the one in PATH when absent."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/shell-tools/package.json",
    checked: true,
    load: () => import("@tenon/shell-tools").then((module) => module.default),
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
            "risk": "read"
          },
          "ast_edit": {
            "summary": "Preview a structural rewrite; resolve applies it",
            "risk": "read",
            "exclusive": true
          },
          "resolve": {
            "summary": "Apply or discard a previewed change",
            "risk": "write"
          }
        }
      },
      "needs": [
        "folders",
        "file-views",
        "file-changes"
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
            "description": "How many files one rewrite may change."
          }
        }
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/syntax-tools/package.json",
    checked: true,
    load: () => import("@tenon/syntax-tools").then((module) => module.default),
  },
  {
    manifest: {
      "id": "tools",
      "kernel": "^1",
      "description": "Runs tools for agents and people: looks them up, checks the input, asks the gate, shows progress.",
      "contributes": {
        "cli-commands": {
          "tool list": {
            "summary": "List the tools that agents can use",
            "group": "Tools",
            "json": true
          },
          "tool run": {
            "summary": "Run one tool by hand",
            "group": "Tools",
            "json": true,
            "description": "The input is a JSON object, given as text, as @FILE, or as - for standard input. Progress goes to standard error. The exit code is 1 when the tool failed or was refused.",
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
          }
        }
      },
      "provides": [
        "tool-runner"
      ],
      "defines": {
        "slots": [
          "tools"
        ],
        "services": [
          "tool-runner"
        ],
        "hooks": [
          "tool.call",
          "tool.result"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/tools/package.json",
    checked: true,
    load: () => import("@tenon/tools").then((module) => module.default),
  },
  {
    manifest: {
      "id": "urls",
      "kernel": "^1",
      "description": "Addresses like db://users/42: who owns a scheme, and reading and writing through it.",
      "provides": [
        "url-router"
      ],
      "defines": {
        "slots": [
          "url-schemes"
        ],
        "services": [
          "url-router"
        ]
      },
      "version": "0.1.0"
    },
    file: "packages/plugins/urls/package.json",
    checked: true,
    load: () => import("@tenon/urls").then((module) => module.default),
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
    file: "packages/plugins/usage/package.json",
    checked: true,
    load: () => import("@tenon/usage").then((module) => module.default),
  },
];
