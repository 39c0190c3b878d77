/** Providers of models to log in to. */
import { endpoints } from '@tenon/models/api';
import type { Seat } from '../seat.ts';
import { chooseOne, closingHints } from './list-picker.ts';

/** Lets the user choose a provider; nothing when they close the list. */
export async function chooseProvider(seat: Seat): Promise<string | undefined> {
  const entries = seat.ctx.read(endpoints).list();
  const items = entries.map(({ key, data }) => {
    const { name, summary } = data;
    const detail = typeof name === 'string' ? name : typeof summary === 'string' ? summary : undefined;
    return { value: key, label: key, ...(detail !== undefined && { detail }) };
  });
  return (await chooseOne(seat, { title: 'Log in to', items, footer: () => closingHints(seat, 'log in', 'close') }))
    ?.value;
}
