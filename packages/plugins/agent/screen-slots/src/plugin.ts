import { definePlugin } from '@tenon/kernel';
import { keybindings, renderers, screenThemes, statusItems } from './api.ts';

/** Defines the slots of the screen; it does nothing by itself. */
export default definePlugin({
  id: 'screen-slots',
  defines: [screenThemes, renderers, keybindings, statusItems],
  activate() {},
});
