/** What other plugins may use: how the part of the system prompt that comes from files is made. */
export { contextSection, type SectionLimits, type SectionFolders } from './section.ts';
