import { z } from 'zod';
import { parseTime } from '../time.js';

/** A time in any form that clients send; parsed it is milliseconds since the epoch, with a fraction. */
export const anyTime = z
  .union([z.string(), z.number()], 'Input should be a time')
  .transform((value, context) => {
    const milliseconds = parseTime(value);
    if (milliseconds !== null) return milliseconds;
    const message = 'Input should be a time: ISO 8601, or seconds or milliseconds since the epoch';
    context.addIssue({ code: 'custom', message, input: value });
    return z.NEVER;
  })
  .meta({
    id: 'Time',
    description: 'ISO 8601 (UTC unless it has an offset), or seconds or milliseconds since the epoch.',
    examples: ['2026-05-04T10:21:52.120Z', 1780000000.25],
  });
