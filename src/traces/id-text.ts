import { z } from 'zod';
import { isFindable, LONGEST_ID } from './span.js';

/** The id of a trace or a span as clients that do not speak OTLP give it: usually hexadecimal, but any text will do. */
export const idText = z
  .string()
  .refine(isFindable, `String should have at most ${LONGEST_ID} bytes in UTF-8`)
  .meta({ maxLength: LONGEST_ID, description: `At most ${LONGEST_ID} bytes in UTF-8.` });
