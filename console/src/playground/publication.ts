import type { PatchPromptRequest, PromptTemplate, PublishPromptRequest } from '../api/schema.gen';
import { editedModel, type Json } from '../prompts/template-text';
import { type PromptBody, type Source, toParameters, toPrompt, type Variant } from './variant';

/** The message of a new version, and its label. */
interface Publication {
  message: string | null;
  label: string | null;
}

const labelled = ({ label }: Publication): object => (label === null ? {} : { release_labels: [label] });

/** The body that publishes a variant under a name. Throws an Error that names a field to correct. */
export function publishBody(variant: Variant, name: string, publication: Publication): PublishPromptRequest {
  const parameters = toParameters(variant);
  const model = editedModel(false, { provider: variant.provider, name: variant.model });
  return {
    prompt_template: { prompt_name: name },
    prompt_version: {
      prompt_template: toPrompt(variant),
      commit_message: publication.message,
      metadata: model && { model: { ...model, api_type: variant.apiType, parameters } },
    },
    ...labelled(publication),
  } as unknown as PublishPromptRequest;
}

/**
 * The body of a PATCH for a variant that was filled from a version: what differs from what was shown. The rest, such as
 * snippets and tools of the registry, stays as it is stored. Throws an Error that names a field to correct.
 */
export function patchBody(
  variant: Variant,
  source: Source,
  stored: PromptTemplate,
  publication: Publication,
): PatchPromptRequest {
  return {
    version: source.version,
    ...changedPrompt(toPrompt(variant), JSON.parse(source.before) as PromptBody, stored as unknown as PromptBody),
    ...changedModel(variant, source),
    commit_message: publication.message,
    ...labelled(publication),
  } as PatchPromptRequest;
}

const LISTS = ['messages', 'tools', 'content'];

function changedPrompt(now: PromptBody, shown: PromptBody, stored: PromptBody): Json {
  if (now.type === 'completion' && now.template_format !== shown.template_format) {
    throw new Error('New versions of a completion keep its syntax of variables. Publish it under another name.');
  }
  const changed = Object.keys(now).filter((name) => !isSame(now[name], shown[name]));
  return Object.fromEntries(
    changed.map((name) => [name, LISTS.includes(name) ? asStored(now[name], shown[name], stored[name]) : now[name]]),
  );
}

/** A list whose unchanged items are as they are stored, in place of how they were shown. */
function asStored(now: unknown, shown: unknown, stored: unknown): unknown {
  // References to deleted tools are not shown: the positions are then unknown.
  if (![now, shown, stored].every(Array.isArray)) return now;
  const [items, before, kept] = [now, shown, stored] as unknown[][];
  if (before!.length !== kept!.length) return now;
  let next = 0;
  return items!.map((item) => {
    const found = before!.findIndex((each, at) => at >= next && isSame(each, item));
    if (found < 0) return item;
    next = found + 1;
    return kept![found];
  });
}

function changedModel(variant: Variant, { model: before = null }: Source): object {
  const model = editedModel(before !== null, { provider: variant.provider, name: variant.model });
  const [now, shown] = [toParameters(variant), before?.parameters ?? {}];
  const set = Object.entries(now).filter(([name, value]) => !isSame(value, shown[name]));
  const removed = Object.keys(shown).filter((name) => !Object.hasOwn(now, name));
  const isOther = model && (model.provider !== before?.provider || model.name !== before.name);
  return {
    ...(isOther && { model }),
    ...(set.length > 0 && { model_parameters: Object.fromEntries(set) }),
    ...(removed.length > 0 && { removed_model_parameters: removed }),
  };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
