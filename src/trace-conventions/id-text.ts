import { z } from 'zod';
import { isFindable, LONGEST_ID } from './span.js';

/** The id of a trace or a span from clients that do not use OTLP: usually hexadecimal, but any text is accepted. */
export const idText = z
  .string()
  .refine(isFindable, `String should have at most ${LONGEST_ID} bytes in UTF-8`)
  .meta({ maxLength: LONGEST_ID, description: `At most ${LONGEST_ID} bytes in UTF-8.` });
