import { equals } from './operators.js';
import { type Arguments, Callable, LoopState, TemplateError, Undefined, type Value } from './values.js';

/** The `loop` of a for statement at one of its items. */
export class Loop {
  index = 0;
  readonly state: LoopState;
  private lastChanged: Value[] | null = null;

  constructor(
    private readonly items: Value[],
    private readonly depth: number,
    recurse: ((given: Arguments) => Value) | null,
  ) {
    this.state = new LoopState((name) => this.read(name), recurse);
  }

  private read(name: string): Value {
    if (!Object.hasOwn(ATTRIBUTES, name)) return new Undefined(`loop has no attribute '${name}'`);
    return ATTRIBUTES[name](this);
  }

  item(offset: number): Value {
    const item = this.items[this.index + offset];
    return item === undefined ? new Undefined('there is no such item') : item;
  }

  get length(): number {
    return this.items.length;
  }

  get level(): number {
    return this.depth;
  }

  cycle(given: Arguments): Value {
    if (given.positional.length === 0) throw new TemplateError('no items for cycling given');
    return given.positional[this.index % given.positional.length];
  }

  changed(given: Arguments): Value {
    const last = this.lastChanged;
    this.lastChanged = given.positional;
    return last === null || !equals(last, given.positional);
  }
}

const ATTRIBUTES: Record<string, (loop: Loop) => Value> = {
  index: (loop) => BigInt(loop.index + 1),
  index0: (loop) => BigInt(loop.index),
  revindex: (loop) => BigInt(loop.length - loop.index),
  revindex0: (loop) => BigInt(loop.length - loop.index - 1),
  first: (loop) => loop.index === 0,
  last: (loop) => loop.index === loop.length - 1,
  length: (loop) => BigInt(loop.length),
  depth: (loop) => BigInt(loop.level + 1),
  depth0: (loop) => BigInt(loop.level),
  previtem: (loop) => loop.item(-1),
  nextitem: (loop) => loop.item(1),
  cycle: (loop) => new Callable('cycle', (given) => loop.cycle(given)),
  changed: (loop) => new Callable('changed', (given) => loop.changed(given)),
};
