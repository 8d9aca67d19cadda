import { z } from 'zod';
import type { FieldOptions } from './field.js';
import { boundedText, SchemaField } from './schema-field.js';

const ReleaseLabels = z
  .array(boundedText(1, 255).transform((name) => name.trim()))
  .max(100)
  .transform((names) => [...new Set(names)]);

/** The release labels that a new version gets, each once. */
export const ReleaseLabelsField = (options: FieldOptions = {}): PropertyDecorator =>
  SchemaField(ReleaseLabels, {
    optional: true,
    nullable: true,
    description: 'Release labels for the new version. Existing labels are moved to it.',
    example: ['staging'],
    ...options,
  });
