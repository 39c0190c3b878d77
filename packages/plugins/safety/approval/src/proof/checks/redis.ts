/** `redis-cli`: the command decides. */
import type { Check } from '../language.ts';

const READS =
  /^(get|mget|strlen|exists|type|ttl|pttl|keys|scan|dbsize|info|ping|llen|lrange|lindex|hget|hgetall|hkeys|hvals|hlen|hmget|smembers|scard|sismember|zrange|zcard|zscore|xlen|xrange|time|echo|getrange)$/i;

/** A command of the database. */
export const check: Check = {
  check({ flags, operands: [command] }, meaning) {
    if (command === undefined) {
      if (!flags.has('--scan')) meaning.refuse('commands that `redis-cli` reads from its input');
      return;
    }
    if (/^(flushall|flushdb|shutdown|debug)$/i.test(command?.value ?? ''))
      meaning.add(3, 'deletes all data of a database');
    else if (!READS.test(command?.value ?? '')) meaning.add(2, 'changes a database');
  },
};
