import { defineErrors } from '@tenon/kernel';

/** Why there is no map. */
export const errors = defineErrors('code-map', {
  CODE_MAP_NOTHING: {
    summary: 'There is no code with definitions in "{path}".',
    next: 'Name a folder or file of code, or none (`tenon map`, `outline://`) for everything.',
  },
  CODE_MAP_BUDGET: {
    summary: 'A budget of "{budget}" tokens cannot be used.',
    next: 'Give a whole number from {least} to {most}.',
  },
  CODE_MAP_QUERY: {
    summary: 'A map has no "{key}".',
    next: 'Write {form}.',
  },
  CODE_MAP_OUTSIDE: {
    summary: '"{path}" is not inside of {root}.',
    next: 'Go to its folder first, or name a path inside of this one.',
  },
  CODE_MAP_FAILED: {
    summary: 'The code in {root} could not be mapped: {reason}.',
    next: 'Check that the folder exists and can be read.',
  },
});
