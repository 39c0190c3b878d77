import { loadAccelerator } from '@tenon/native';

/** What the program gives to the screen. */
export const text = await loadAccelerator('text');
