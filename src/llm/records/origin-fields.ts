import { EnumField, TextField } from '../../platform/http/fields.js';
import { ORIGINS } from './origin.js';

/** Fields of answers that show a call or a trace. */
export const OriginField = (subject: string): PropertyDecorator =>
  EnumField(ORIGINS, {
    description:
      `Origin of ${subject}: an \`application\` that reported it, or this server for the cells of a \`sheet\`, ` +
      'for an `evaluation`, for a run of a `workflow`, or for a `trial` of a prompt.',
    example: 'application',
  });

export const EnvironmentField = (source: string): PropertyDecorator =>
  TextField({ nullable: true, description: `${source}; null when none is named.`, example: 'production' });

/** The choice of lists: one origin, or all but applications. */
const SERVER = 'server';
const ORIGIN_CHOICES = [...ORIGINS, SERVER];

export const originsOf = (choice: string | undefined): readonly string[] | null => {
  if (choice === undefined) return null;
  return choice === SERVER ? ORIGINS.filter((origin) => origin !== 'application') : [choice];
};

export const OriginChoiceField = (what: string): PropertyDecorator =>
  EnumField(ORIGIN_CHOICES, {
    optional: true,
    query: true,
    description: `Only ${what} of this origin count. \`server\` stands for all but \`application\`.`,
    example: 'application',
  });
