/** Names for runs that people can say: an adjective and an animal. */
import { randomInt } from 'node:crypto';

const ADJECTIVES =
  'able airy amber apt bold brave brisk calm clear clever cosy crisp curious deft eager early easy fair fleet fond free fresh gentle glad golden grand happy hardy honest humble jolly keen kind light lively loyal lucky mellow merry mild modest neat nimble noble patient plain plucky polite prime proud quick quiet ready rosy rustic sage sharp shiny silent silver sleek smart snug soft solid spry steady still stout sturdy subtle sunny sure swift tidy true vivid warm wise witty young zesty'.split(
    ' ',
  );
const ANIMALS =
  'adder ant badger bat bear beaver bee bison boar bream camel carp cat civet cod colt crab crane crow deer dingo dove duck eagle eel egret elk emu ermine falcon ferret finch fox frog gecko gibbon goat goose gull hare hawk hen heron horse ibex ibis jay kite kiwi koala lark lemur lion lizard llama loon lynx magpie marten mink mole moose moth mouse mule newt ocelot orca oriole osprey otter owl ox panda perch pike plover pony puffin quail rabbit raven ray robin rook salmon seal shrew skate sloth snail snipe sole stoat stork swan swift tapir teal tern thrush tiger toad trout tuna vole wasp weasel whale wolf wombat wren yak zebra'.split(
    ' ',
  );

const oneOf = (words: readonly string[]) => words[randomInt(words.length)] ?? '';

/** A new name. After many tries that were taken it gets a number. */
export function newAlias(tries: number): string {
  const name = `${oneOf(ADJECTIVES)}-${oneOf(ANIMALS)}`;
  return tries < 20 ? name : `${name}-${randomInt(1_000_000)}`;
}
