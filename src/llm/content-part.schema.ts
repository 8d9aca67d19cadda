import { z } from 'zod';

const text = z.string();
const optionalText = z.string().nullish().transform(orNull);
const textOr = (fallback: string) =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? fallback);
const json = z.unknown();
const optionalJson = json.optional().transform((value) => value ?? null);
const objectOrEmpty = z
  .record(z.string(), json)
  .nullish()
  .transform((value) => value ?? {});
const listOrEmpty = z
  .array(json)
  .nullish()
  .transform((value) => value ?? []);

/** The component of a variant: `image_url` parts are `ImageUrlPart`. */
export const variantName = (type: string, kind: string): string =>
  type.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase()) + kind;

const part = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.looseObject({ type: z.literal(type), ...shape }).meta({ id: variantName(type, 'Part') });

/** Every kind of content a message can hold, with the defaults of its optional fields. */
export const ContentPartSchema = z
  .discriminatedUnion('type', [...SPOKEN_PARTS, ...HOSTED_PARTS, ...MCP_PARTS, ...FILE_PARTS])
  .meta({ id: 'PromptContentPart' });

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null;
}
