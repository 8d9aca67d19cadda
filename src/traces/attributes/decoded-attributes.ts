import type { JsonObject, JsonValue } from '../../platform/json.js';
import type { Attributes } from './attributes.js';

/** Attributes that are values already. */
export class DecodedAttributes implements Attributes {
  constructor(private readonly values: JsonObject) {}

  keys(): string[] {
    return Object.keys(this.values);
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
