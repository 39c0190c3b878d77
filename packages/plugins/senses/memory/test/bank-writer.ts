/** One of several processes that write to the same bank. */
import { Bank } from '../src/bank/bank.ts';

const [file = '', name = ''] = process.argv.slice(2);
const bank = await Bank.open(file, 'project', { maxBytes: 1_000_000 });
for (let number = 0; number < 10; number++) bank.add({ text: `${name} noted item number ${number}`, source: 'agent' });
bank.add({ text: 'All agree on this one', source: 'agent', session: name });
bank.close();
