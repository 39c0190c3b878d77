/** Services of Tenon as packs get them. */
import type { UserInterface } from '@tenon/host';
import { plainLine, plainText } from '@tenon/wording';
import { errors } from '../errors.ts';

/** The service as a pack may use it. */
export function guardedService(id: string, value: unknown, plugin: string): unknown {
  return id === 'user-interface' && value !== undefined ? signed(value as UserInterface, plugin) : value;
}

/** Everything that a pack shows says that it is the pack's: a question must not look like one of Tenon's. */
function signed(ui: UserInterface, plugin: string): UserInterface {
  const title = (text: unknown) => `Pack "${plugin}": ${plainLine(String(text))}`;
  const texts = (list: unknown) => (Array.isArray(list) ? list.map((text) => plainLine(String(text))) : []);
  const optional = (text: unknown) => (text === undefined ? undefined : plainText(String(text)));
  const own = (key: unknown) => `${plugin}:${String(key)}`;
  return {
    canAsk: () => ui.canAsk(),
    select: (text, options, dialog) => ui.select(title(text), texts(options), dialog),
    confirm: (text, message, dialog) => ui.confirm(title(text), plainText(String(message)), dialog),
    input: (text, placeholder, dialog) => ui.input(title(text), optional(placeholder), dialog),
    editor: (text, prefill, dialog) => ui.editor(title(text), optional(prefill), dialog),
    notify: (message, kind) => ui.notify(title(message), kind),
    setStatus: (key, text) => ui.setStatus(own(key), text === undefined ? undefined : title(text)),
    setWidget: (key, lines) => ui.setWidget(own(key), lines === undefined ? undefined : [title(''), ...texts(lines)]),
    setTitle: (text) => ui.setTitle(title(text)),
    setEditorText() {
      const instead = 'Ask with `editor`, or tell the user what to type.';
      throw errors.create('PACK_HOST_UNSUPPORTED', { plugin, what: 'the text that the user types', instead });
    },
  };
}
