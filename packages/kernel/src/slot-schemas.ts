/** Whether any slot of this process has a schema: without one, nobody needs the schema compiler for entries. */
export const slotSchemas = { areUsed: false };
