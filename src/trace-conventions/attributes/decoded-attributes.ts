import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { Attributes } from './attributes.js';
import { KeySequence } from './key-sequence.js';

/** Attributes that are values already. */
export class DecodedAttributes implements Attributes {
  private sequence: KeySequence | undefined;

  constructor(private readonly values: JsonObject) {}

  get keys(): KeySequence {
    return (this.sequence ??= KeySequence.of(Object.keys(this.values)));
  }

  get(key: string): JsonValue | undefined {
    return Object.hasOwn(this.values, key) ? this.values[key] : undefined;
  }

  without(keys: readonly string[]): Attributes {
    if (!keys.some((key) => Object.hasOwn(this.values, key))) return this;
    return new DecodedAttributes(
      Object.fromEntries(Object.entries(this.values).filter(([key]) => !keys.includes(key))),
    );
  }

  toJson(): string {
    return JSON.stringify(this.values);
  }
}

export const NO_ATTRIBUTES = new DecodedAttributes({});
