/** The variable that tells a host that it starts no programs, and so can give up the right to. */
export const GIVE_UP_PROGRAMS = 'TENON_HOST_NO_PROGRAMS';
