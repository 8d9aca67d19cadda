import { ApiProperty } from '@nestjs/swagger';
import { BooleanField, DateTimeField, type FieldOptions, IntegerField, MAX_ID, TextField } from './fields.js';

/** Fields that many responses have, described once. This is the one of every response. */
export const SUCCESS = 'Always true: errors are answered with a 4xx or 5xx status and `success: false`.';

export const SuccessField = (): PropertyDecorator => ApiProperty({ example: true, description: SUCCESS });

/** A sentence about the outcome. */
export const MessageField = (example?: string): PropertyDecorator =>
  TextField({
    example,
    description: 'A sentence about the outcome, for display. Programs should read the other fields.',
  });

/** An e-mail address: one @ and no blanks. Whether it exists shows when something is sent there. */
export const EmailField = (options: FieldOptions): PropertyDecorator =>
  TextField({ maxLength: 320, pattern: /^[^\s@]+@[^\s@]+$/, example: 'sam@example.com', ...options });

/** A name or title in a body, where it may be missing or null. */
export const BodyNameField = (options: FieldOptions): PropertyDecorator =>
  TextField({ optional: true, nullable: true, minLength: 1, maxLength: 255, ...options });

/** A position from 0 in a body, where it may be missing or null. */
export const BodyIndexField = (description: string): PropertyDecorator =>
  IntegerField({ optional: true, nullable: true, min: 0, description });

/** A flag in a body, false where it is missing or null. */
export const BodyFlagField = (description: string): PropertyDecorator =>
  BooleanField({ optional: true, nullable: true, default: false, description });

export const WorkspaceIdField = (): PropertyDecorator =>
  IntegerField({ description: 'The workspace that owns it. API keys only ever see their own workspace.' });

/** `owner` is the created resource, with its article. */
export const CreatedAtField = (owner: string): PropertyDecorator =>
  DateTimeField({ description: `When ${owner} was created.` });

export const UpdatedAtField = (owner: string): PropertyDecorator =>
  DateTimeField({ description: `When ${owner} was last changed; the time of its creation until the first change.` });

/** The folder of a prompt, a tool and the like. */
export const FolderIdField = (owner: string): PropertyDecorator =>
  IntegerField({ nullable: true, description: `The folder that ${owner} is in; null at the top level.` });

const INPUT = 'as the provider counts them: Anthropic and Bedrock leave out what was read from or written to a cache';

/** Sums over calls. */
export const InputTokensField = (): PropertyDecorator =>
  IntegerField({ description: `Input tokens, ${INPUT}. Calls without a count add 0.` });

export const OutputTokensField = (): PropertyDecorator =>
  IntegerField({ description: 'Output tokens, reasoning included. Calls without a count add 0.' });

/** The counts of one call. */
export const CallInputTokensField = (): PropertyDecorator =>
  IntegerField({ description: `Input tokens, ${INPUT}. 0 when no count was reported.` });

export const CallOutputTokensField = (): PropertyDecorator =>
  IntegerField({ description: 'Output tokens, reasoning included. 0 when no count was reported.' });

export const TotalTokensField = (): PropertyDecorator =>
  IntegerField({ description: 'Input and output tokens together.' });

export const CommitMessageField = (): PropertyDecorator =>
  TextField({ nullable: true, description: 'The commit message of the version; null if it has none.' });

/** The same in a request. */
export const NewCommitMessageField = (example: string): PropertyDecorator =>
  TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: 'The commit message: a sentence about the change.',
    example,
  });

export const SavedAtField = (): PropertyDecorator => DateTimeField({ description: 'When the version was saved.' });

export const VersionQueryField = (): PropertyDecorator => QueryIdField('The number of a version. Default: the latest.');

export const LabelQueryField = (): PropertyDecorator =>
  TextField({ optional: true, query: true, maxLength: 255, description: 'A release label, in place of `version`.' });

/** An id or the number of a version, in a path. */
export const PathIdField = (description: string): PropertyDecorator =>
  IntegerField({ query: true, min: 1, max: MAX_ID, description });

/** The same in a query string, where it may be missing. */
export const QueryIdField = (description: string): PropertyDecorator =>
  IntegerField({ optional: true, query: true, min: 1, max: MAX_ID, description });

/** The same in a body, where it may be missing or null. */
export const BodyIdField = (description: string): PropertyDecorator =>
  IntegerField({ optional: true, nullable: true, min: 1, max: MAX_ID, description });
