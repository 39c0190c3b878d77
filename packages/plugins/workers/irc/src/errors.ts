import { defineErrors } from '@tenon/kernel';

/** What can go wrong with messages between agents. */
export const errors = defineErrors('irc', {
  IRC_MISSING: {
    summary: '`{field}` is required for op="{op}".',
    next: 'Nothing was sent. Add it and call irc again.',
  },
  IRC_ROOM: {
    summary: '"{room}" cannot be the name of a room.',
    next: 'Rooms begin with #, and have letters, digits, dots and dashes: #build.',
  },
  IRC_NO_SESSION: {
    summary: 'Only an agent can be in a room.',
    next: 'A call by hand can list agents and write to them.',
  },
  IRC_TOO_LONG: {
    summary: 'A message of {length} characters is too long; {limit} are allowed.',
    next: 'Nothing was sent. Write the long part to a file, and name the file.',
  },
  IRC_GONE: {
    summary: 'The agent is no longer there.',
    next: 'See who is there with op="list".',
  },
  IRC_FULL: {
    summary: 'It has too many unread messages.',
    next: 'Wait until it has read them; do not send this again at once.',
  },
  IRC_NO_REPLY: {
    summary: 'It did not answer within {seconds} seconds.',
    next: 'It has the message. Go on without its answer, or ask again later.',
  },
  IRC_FOLDER: {
    summary: 'The folder {folder} cannot be used for messages between processes: {reason}',
    next: 'It must be a folder of yours that nobody else can enter. Remove it, or set irc.reach to process.',
  },
  IRC_PROCESS: {
    summary: 'Process {pid} cannot be reached: {reason}',
    next: 'See who is there with op="list".',
  },
});
