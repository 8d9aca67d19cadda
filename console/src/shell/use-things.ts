import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue } from 'react';
import { api } from '../api/client';
import { skillPath } from '../skills/links';
import { toolPath } from '../tools/links';
import { workflowPath } from '../workflows/links';
import type { Place } from './places';

/** Maximum entries of each kind, so that other places stay visible. */
const MOST_SHOWN = 8;
const SOME_SECONDS = 30_000;

/**
 * Workflows, tools and skill collections whose names contain a text. Nothing is requested before something is typed.
 */
export function useThings(text: string): Place[] {
  const words = useDeferredValue(text.trim());
  const enabled = words !== '';
  const workflows = useQuery({
    queryKey: ['workflows', 'named', words],
    queryFn: ({ signal }) =>
      api('GET /workflows', { query: { name: words, per_page: MOST_SHOWN, sort_by: 'updated_at' }, signal }),
    enabled,
    placeholderData: keepPreviousData,
  });
  const tools = useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tool-registry', { signal }),
    enabled,
    staleTime: SOME_SECONDS,
  });
  const skills = useQuery({
    queryKey: ['skills'],
    queryFn: ({ signal }) => api('GET /api/public/v2/skill-collections', { signal }),
    enabled,
    staleTime: SOME_SECONDS,
  });
  if (!enabled) return [];
  const named = <T extends { name: string }>(all: T[] = []) =>
    all.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase())).slice(0, MOST_SHOWN);
  const place = (name: string, hint: string, path: string): Place => ({ title: name, hint, path });
  return [
    ...named(workflows.data?.items).map(({ id, name }) => place(name, 'Workflow', workflowPath(id))),
    ...named(tools.data?.tool_registries).map(({ id, name }) => place(name, 'Tool', toolPath(id))),
    ...named(skills.data?.skill_collections).map(({ id, name }) => place(name, 'Skill collection', skillPath(id))),
  ];
}
