import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client';
import type { PromptTemplate } from '../api/schema.gen';
import { identityOf } from '../api/session';
import { promptPath } from '../prompts/links';
import { useMe } from '../shell/session-context';
import { type Draft, emptyDraft, type Filled, filledDraft, isEmpty, keepDraft, readDraft } from './draft';
import { fromCall, fromVersion, type Variant } from './variant';

/** The source that the URL names for the variants. */
export const SOURCE = { request: '', prompt: '', version: '' };

interface Source {
  variant: Variant;
  from: Filled;
}

/** Reads from the URL what fills the variants; null for nothing. */
export function useSource({ request, prompt, version }: typeof SOURCE) {
  return useQuery({
    queryKey: ['playground-source', request, prompt, version],
    queryFn: ({ signal }) => (request ? readRequest(Number(request), signal) : readVersion(prompt, version, signal)),
    enabled: request !== '' || prompt !== '',
    // A draft is not filled again while it is edited.
    staleTime: Infinity,
  });
}

async function readRequest(id: number, signal: AbortSignal): Promise<Source> {
  const log = await api('GET /api/public/v2/requests/{request_id}', { path: { request_id: id }, signal });
  const { prompt_template: template, metadata } = log.prompt_blueprint as unknown as {
    prompt_template: PromptTemplate;
    metadata: { model: Parameters<typeof fromCall>[1] };
  };
  const query = new URLSearchParams({ f: `pl_id is ${id}`, id: String(id) });
  const from = { key: `request ${id}`, title: `request ${id}`, href: `/logs?${query.toString()}` };
  return { variant: fromCall(template, metadata.model), from };
}

async function readVersion(identifier: string, version: string, signal: AbortSignal): Promise<Source> {
  const query = version === '' ? {} : { version: Number(version) };
  const read = await api('GET /prompt-templates/{identifier}', { path: { identifier }, query, signal });
  const from = {
    key: `prompt ${read.id} ${read.version}`,
    title: `${read.prompt_name} v${read.version}`,
    href: `${promptPath(read.id)}?v=${read.version}`,
  };
  return { variant: fromVersion(read, read.metadata?.model ?? null), from };
}

/** The draft of this tab. Filling it from something else keeps the one before, so that nothing typed is lost. */
export function useDraft(source: Source | undefined) {
  const key = `playground ${identityOf(useMe())}`;
  const [draft, setDraft] = useState<Draft>(() => readDraft(key) ?? emptyDraft());
  const [earlier, setEarlier] = useState<Draft | null>(() => readDraft(`${key} earlier`));
  const [before, setBefore] = useState<Source>();
  useEffect(() => keepDraft(key, draft), [key, draft]);
  useEffect(() => {
    if (earlier) keepDraft(`${key} earlier`, earlier);
  }, [key, earlier]);
  const replace = (next: Draft) => {
    // Untouched drafts are not stored.
    if (!isEmpty(draft)) setEarlier(draft);
    setDraft(next);
  };
  // In the render that has the source: what is typed right after an earlier one would put the old draft back.
  if (source !== before) {
    setBefore(source);
    if (source && source.from.key !== draft.from?.key) replace(filledDraft(source.variant, source.from));
  }
  return { draft, setDraft, earlier, replace };
}
