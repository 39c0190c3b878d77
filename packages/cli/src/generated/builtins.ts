// Made by `node scripts/generate-builtins.mjs` from packages/plugins/*/package.json. Do not edit.
import type { PluginCandidate } from '@tenon/kernel';

/** A plugin that comes with Tenon; its manifest was checked when this table was made. */
export type Builtin = PluginCandidate;

/** Every plugin that comes with Tenon. The code of each is imported on first use. */
export const builtins: readonly Builtin[] = [
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
];
