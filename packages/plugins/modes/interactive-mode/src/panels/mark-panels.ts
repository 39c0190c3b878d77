/** Marks above the editor: planning, questions of other sessions. */
import type { Component } from '@tenon/screen';
import { fitted, type PanelLook } from './panel-look.ts';

/** Says that the agent plans and changes nothing. */
export function planModeMark(look: PanelLook, facts: { isOn(): boolean; key?(): string | undefined }): Component {
  return {
    render(width) {
      if (!facts.isOn()) return [];
      const { theme } = look;
      const key = facts.key?.();
      const how = key === undefined ? '' : theme.fg('dim', ` (${key} ends it)`);
      return fitted(look, [`${theme.fg('warning', '▮ Planning:')} the agent looks and changes nothing${how}`], width);
    },
  };
}

/** Says that other sessions wait for an answer. */
export function heldMark(look: PanelLook, facts: { waiting(): number; key?(): string | undefined }): Component {
  return {
    render(width) {
      const waiting = facts.waiting();
      if (waiting === 0) return [];
      const { theme } = look;
      const key = facts.key?.();
      const how = key === undefined ? '' : theme.fg('dim', ` (${key} answers)`);
      const what =
        waiting === 1
          ? '1 call of another session waits for an answer'
          : `${waiting} calls of other sessions wait for an answer`;
      return fitted(look, [`${theme.fg('warning', '?')} ${what}${how}`], width);
    },
  };
}
