import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../api/client';
import type { FeedBody } from '../api/schema.gen';
import { LOG_FIELDS } from '../logs/log-fields';
import { FilterForm } from '../search/filter-form';
import { useMay } from '../shell/permissions';
import { useSheet } from '../sheet/sheet-data';
import { TRACE_FIELDS } from '../traces/trace-fields';
import { Dialog } from '../ui/dialog';
import { Field, Form } from '../ui/form';
import { Options } from '../ui/options';
import { markTyped } from '../ui/unsaved';
import { changeOf, type FeedDraft, newDraft, type Source, toCreate, withCondition } from './feed-draft';
import { ColumnFields, LimitFields, MoreFields, PublishFields, TakenFields } from './feed-form-parts';
import { PlanOf } from './feed-plan';
import { promiseOf } from './feed-words';
import { FEED, FEEDS, useFeedPlan } from './feeds-data';

const SOURCES: [Source, string][] = [
  ['requests', 'Requests'],
  ['traces', 'Traces'],
];

interface Props {
  /** Null for a new one. */
  feed: FeedBody | null;
  first: FeedDraft;
  onClose: () => void;
}

/** The settings of a feed, with the results that they would have had on the last day. */
export function FeedForm({ feed, first, onClose }: Props) {
  const { path } = useSheet();
  const mayEdit = useMay('TABLE_EDIT');
  // The feed is read again and again while its form is open.
  const [begun] = useState(first);
  const [draft, setDraft] = useState(begun);
  const [isFiltering, setFiltering] = useState(false);
  const live = useFeedPlan(path, draft);
  const save = useSave(feed, begun);
  const change = (part: Partial<FeedDraft>) => setDraft((before) => ({ ...before, ...part }));
  const title = feed ? `Feed “${feed.name}”` : 'New feed';
  const promise = promiseOf(live.isWaiting ? undefined : live.plan, draft);
  const parts = { draft, change };
  return (
    <>
      <Dialog label={title} className="form-dialog wide feed-form" onClose={onClose}>
        <h1>{title}</h1>
        <Form
          submit={feed ? 'Save the feed' : promise}
          onSubmit={() => save(draft)}
          onDone={onClose}
          onCancel={onClose}
          disabled={!mayEdit}
        >
          <div className="columns">
            <NameField {...parts} />
            <SourceField {...parts} isFixed={feed !== null} />
          </div>
          <TakenFields {...parts} onFilter={() => setFiltering(true)} isNew={feed === null} />
          <PlanOf live={live} source={draft.source} />
          <LimitFields {...parts} plan={live.plan} />
          <ColumnFields {...parts} />
          <PublishFields {...parts} />
          <MoreFields {...parts} />
        </Form>
      </Dialog>
      {/* Beside the form: a form in a form would submit both. */}
      {isFiltering && (
        <FilterForm
          of={draft.source === 'requests' ? LOG_FIELDS : TRACE_FIELDS}
          onClose={() => setFiltering(false)}
          onAdd={(condition) => {
            setFiltering(false);
            setDraft((before) => withCondition(before, condition));
            markFormTyped();
          }}
        />
      )}
    </>
  );
}

/** Marks the form as edited, because conditions are typed into a form of their own. */
function markFormTyped(): void {
  const form = document.querySelector<HTMLFormElement>('.feed-form form');
  if (form) markTyped(form, true);
}

/** Creates the feed, or updates the existing one. */
function useSave(feed: FeedBody | null, first: FeedDraft): (draft: FeedDraft) => Promise<void> {
  const { path, refresh } = useSheet();
  const queries = useQueryClient();
  return async (draft) => {
    if (feed) await api(`PATCH ${FEED}`, { path: { ...path, feed_id: feed.id }, body: changeOf(first, draft) });
    else await api(`POST ${FEEDS}`, { path, body: toCreate(draft, Date.now()) });
    await queries.invalidateQueries({ queryKey: ['sheet', path, 'feeds'] });
    refresh();
  };
}

function NameField({ draft, change }: FeedPartProps) {
  return (
    <Field label="Name" isRequired>
      <input
        className="field"
        data-first=""
        required
        maxLength={255}
        value={draft.name}
        onChange={(event) => change({ name: event.target.value })}
      />
    </Field>
  );
}

/** Requests and traces have different filters and columns, so changing the source resets them. */
function SourceField({ draft, change, isFixed }: FeedPartProps & { isFixed: boolean }) {
  const choose = (source: Source) => {
    const { name, filters, q, origins, fields, variables } = newDraft(source);
    const isOwnName = draft.name !== newDraft(draft.source).name;
    change({ source, filters, q, origins, fields, variables, ...(!isOwnName && { name }) });
  };
  return (
    <Field label="Source">
      <select
        className="field"
        disabled={isFixed}
        value={draft.source}
        onChange={(event) => choose(event.target.value as Source)}
      >
        <Options pairs={SOURCES} />
      </select>
    </Field>
  );
}

interface FeedPartProps {
  draft: FeedDraft;
  change: (part: Partial<FeedDraft>) => void;
}
