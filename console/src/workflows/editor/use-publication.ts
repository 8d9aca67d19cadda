import { useMemo, useRef, useState } from 'react';
import { api } from '../../api/client';
import { useRefresh } from '../../api/lists';
import type { ColumnTypeBody, WorkflowResponse } from '../../api/schema.gen';
import type { FormValues } from '../../ui/form';
import { mended, type Schema, type Values } from '../../ui/schema-fields';
import { useUnsaved } from '../../ui/unsaved';
import { type Draft, emptyDraft, draftOf, graphIn, IN_FORM, textOf } from './draft';
import { type Faults, faultsOf } from './faults';

/**
 * The draft of a version, also as it would be published, and the server's errors after publishing it. `isValid` is
 * false while it contains invalid JSON.
 */
export function usePublication(
  workflow: WorkflowResponse | null,
  types: Map<string, ColumnTypeBody>,
  isValid: boolean,
) {
  const [before] = useState(() => (workflow ? draftOf(workflow) : emptyDraft()));
  const [draft, setDraft] = useState(before);
  const [faults, setFaults] = useState<Faults>({});
  const refresh = useRefresh('workflows', 'workflow', 'workflow-versions', 'workflow-labels');
  const newest = useRef({ draft, isValid, isPublished: false });
  Object.assign(newest.current, { draft, isValid });
  const keeper = useMemo(
    () => ({
      isUnsaved: () => {
        const { draft: now, isValid: isRead, isPublished } = newest.current;
        return !isPublished && (!isRead || textOf(now) !== textOf(before));
      },
    }),
    [before],
  );
  useUnsaved(keeper);
  const filled = useMemo(() => filledIn(draft, types), [draft, types]);
  const publish = async (values: FormValues): Promise<number> => {
    setFaults({});
    const label = values.optional('label');
    const tags = values.text('tags').split(',');
    const body = {
      ...(workflow ? { workflow_id: workflow.workflow_id } : { name: values.text('name') }),
      ...(!workflow && { tags: tags.map((tag) => tag.trim()).filter((tag) => tag !== '') }),
      ...graphIn(filled),
      commit_message: values.optional('commit_message'),
      ...(label !== null && { release_labels: [label] }),
    };
    try {
      const { workflow_id: id } = await api('POST /rest/workflows', { body });
      newest.current.isPublished = true;
      await refresh();
      return id;
    } catch (error) {
      setFaults(faultsOf(error, draft) ?? {});
      throw error;
    }
  };
  /** A change may fix an error, so errors of changed nodes are removed. */
  const change = (next: Draft) => {
    const isSame = (name: string) => next.nodes.some((node) => node.name === name && draft.nodes.includes(node));
    setDraft(next);
    setFaults((all) => Object.fromEntries(Object.entries(all).filter(([name]) => isSame(name))));
  };
  return { before, draft, filled, setDraft: change, faults, publish };
}

/** The draft without empty values of its forms. Other nodes are published as they were read or written as JSON. */
const filledIn = (draft: Draft, types: Map<string, ColumnTypeBody>): Draft => ({
  ...draft,
  nodes: draft.nodes.map((node) => {
    const schema = types.get(node.node_type)?.config_schema as Schema | undefined;
    if (!schema || !node[IN_FORM]) return node;
    return { ...node, configuration: inOrderOf(node.configuration, mended(schema, node.configuration)) };
  }),
});

/** Keeps the order of keys, so that the changes to review are only those of values. */
function inOrderOf(before: Values, values: Values): Values {
  const kept = Object.keys(before).filter((key) => Object.hasOwn(values, key));
  return Object.fromEntries([...kept, ...Object.keys(values)].map((key) => [key, values[key]]));
}
