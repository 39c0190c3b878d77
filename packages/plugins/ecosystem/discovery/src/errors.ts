import { defineErrors } from '@tenon/kernel';

/** Every error about files that are discovered. */
export const errors = defineErrors('discovery', {
  DISCOVERY_LINK_OUTSIDE: {
    summary: '{file} leads out of the project, to {target}. It is not used, because the project is not trusted.',
    next: 'If you want that, trust the project with `tenon trust add`.',
  },
  DISCOVERY_LINK_FORBIDDEN: {
    summary: '{file} leads to {target}, which is not part of a project. It is never used.',
    next: 'Find out who made the link, and remove it.',
  },
  DISCOVERY_UNREADABLE: {
    summary: '{file} cannot be read: {reason}.',
    next: 'Correct its permissions, or remove it.',
  },
  DISCOVERY_LOOP: {
    summary: '{file} is a symbolic link that leads back to itself.',
    next: 'Remove the link, or point it at something else.',
  },
  DISCOVERY_NOT_A_FILE: {
    summary: '{file} is not a regular file.',
    next: 'Put a file there, or remove it.',
  },
  DISCOVERY_NOT_A_FOLDER: {
    summary: '{file} is not a folder.',
    next: 'Put a folder there, or remove it.',
  },
  DISCOVERY_TOO_LARGE: {
    summary: '{file} has {size} bytes; at most {limit} are read, so it is not used.',
    next: 'Make it smaller, or split it.',
  },
  DISCOVERY_TOO_MANY: {
    summary: '{file} holds more than {limit} entries; the rest is not looked at.',
    next: 'Remove what is not needed.',
  },
  DISCOVERY_NOT_TEXT: {
    summary: '{file} is not UTF-8 text, so it is not used.',
    next: 'Save it as UTF-8.',
  },
  DISCOVERY_SYNTAX: {
    summary: '{file} cannot be understood: {reason}.',
    next: 'Correct the file.',
  },
  DISCOVERY_FRONTMATTER: {
    summary: 'The frontmatter of {file} is damaged: {reason}.',
    next: 'Correct the lines between the two `---`. Text with a colon must be in quotes.',
  },
  DISCOVERY_SHAPE: {
    summary: '{file}: {what}.',
    next: 'Correct the file; what is wrong in it is not used.',
  },
  DISCOVERY_IMPORT: {
    summary: '{file} includes {target}, {reason}.',
    next: 'Correct the line that begins with `@`, or put it in backticks if no file is meant.',
  },
  DISCOVERY_UNKNOWN_KIND: {
    summary: 'There is no kind "{kind}" to discover.{hint}',
    next: 'Kinds are: {kinds}.',
  },
  DISCOVERY_UNKNOWN_FAMILY: {
    summary: 'There is no family "{family}".{hint}',
    next: 'Families are: {families}.',
  },
});
