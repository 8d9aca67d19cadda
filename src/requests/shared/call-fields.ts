import {
  BooleanField,
  DateTimeField,
  EnumField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';

/** Fields of a call that several responses have. */
export const CallStartField = (): PropertyDecorator => DateTimeField({ description: 'When the call began.' });

export const CallEndField = (): PropertyDecorator => DateTimeField({ description: 'When the answer was complete.' });

export const CallStatusField = (): PropertyDecorator =>
  EnumField(['SUCCESS', 'WARNING', 'ERROR'], {
    description:
      'The outcome of the call: `WARNING` for an answer with a problem, such as a partial one, `ERROR` for a failed call.',
  });

export const PriceField = (): PropertyDecorator =>
  NumberField({ description: 'The cost in US dollars; 0 if no price is known, see `priced`.' });

export const PricedField = (): PropertyDecorator =>
  BooleanField({ description: 'False if no price is known for the model, so that 0 is not mistaken for free.' });

export const LogTagsField = (): PropertyDecorator => ListField('string', { description: 'The tags of the log.' });

export const LogTraceField = (): PropertyDecorator =>
  TextField({
    nullable: true,
    description: 'The trace that the call is part of; null for a call that came on its own.',
  });

export const LogSpanField = (): PropertyDecorator =>
  TextField({
    nullable: true,
    description: 'The span that the call was made in; null for a call that came on its own.',
  });

export const CostField = (): PropertyDecorator =>
  NumberField({ description: 'The cost in US dollars, without requests that have no price.' });

/** The value and the label of a group of logs. */
export const GroupValueField = (): PropertyDecorator =>
  TextField({
    description: 'The model, user, tag and so on. For prompts the id; for versions the id, a colon and the number.',
    example: 'gpt-4o',
  });

export const GroupLabelField = (): PropertyDecorator =>
  TextField({ description: 'The value as people know it: prompts have their names.', example: 'gpt-4o' });
