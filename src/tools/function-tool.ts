import { isObject, type JsonObject } from '../platform/json.js';

/** The function in a definition, or the definition itself if it is a bare function; null without a name. */
export function functionIn(definition: JsonObject): (JsonObject & { name: string }) | null {
  const stored = isObject(definition.function) ? definition.function : definition;
  const { name } = stored;
  return typeof name === 'string' && name.trim() !== '' ? { ...stored, name } : null;
}

/** Converts a definition to a function tool of prompts, with its defaults; null without a name. */
export function toFunctionTool(definition: JsonObject): JsonObject | null {
  const found = functionIn(definition);
  if (!found) return null;
  const { type: _, ...stored } = found;
  const { description, strict, parameters } = stored;
  return {
    type: 'function',
    function: {
      ...stored,
      description: typeof description === 'string' ? description : '',
      strict: strict === true,
      parameters: isObject(parameters) ? parameters : { type: 'object', properties: {} },
    },
  };
}

/** Words that cannot be names in one language or the other. */
const WORDS = new Set(
  `and arguments as assert async await break case catch class const continue debugger def default del delete do elif else enum eval
  except export extends False finally for from function global if implements import in instanceof interface is lambda let new None
  nonlocal not null or package pass private protected public raise return static super switch this throw true True try typeof var
  void while with yield false args`.split(/\s+/),
);

/** The name as code can use it: models also allow hyphens and dots. */
export function identifierOf(name: string): string {
  const plain = name.trim().replace(/\W/g, '_');
  return /^\d/.test(plain) || WORDS.has(plain) ? `_${plain}` : plain;
}
