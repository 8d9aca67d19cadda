import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client';
import type { ReviewItemBody } from '../api/schema.gen';
import { useUrlState } from '../ui/url-state';
import { type Answers, withLeft } from './rubric';

const QUEUE = '/api/public/v2/review-queues/{review_queue_id}';
const ITEM = `${QUEUE}/items/{review_item_id}` as const;
/** `decide` is set for an item about which others disagree; without it the own answer is replaced. */
export const REVIEW_STATE = { item: '', decide: '' };

/** An answered item in its current state. */
export interface Left {
  item: ReviewItemBody;
  problem: string | null;
}

export const useQueue = (id: string) =>
  useQuery({
    queryKey: ['review-queue', id],
    queryFn: ({ signal }) => api(`GET ${QUEUE}`, { path: { review_queue_id: id }, signal }),
  });

/**
 * The item of the URL, or else the next one, which is leased. `left` are the items that were answered or skipped here, for undo;
 * `last` is the one before, whose other answers are shown.
 */
export function useReview(queueId: string, mayAnswer: boolean) {
  const [{ item: chosenId, decide }, set] = useUrlState(REVIEW_STATE);
  const [left, setLeft] = useState<string[]>([]);
  const [last, setLast] = useState<Left | null>(null);
  const path = { review_queue_id: queueId };
  const next = useMutation({ mutationFn: () => api(`POST ${QUEUE}/next`, { path }) });
  const { mutate: takeNext } = next;
  useEffect(() => {
    if (mayAnswer && chosenId === '') takeNext();
  }, [mayAnswer, chosenId, takeNext]);
  const chosen = useQuery({
    queryKey: ['review-item', queueId, chosenId],
    queryFn: ({ signal }) => api(`GET ${ITEM}`, { path: { ...path, review_item_id: chosenId }, signal }),
    enabled: chosenId !== '',
  });
  const refresh = useRefreshQueue(queueId);
  const goOn = () => {
    if (chosenId === '') return takeNext();
    // The item that was leased before is not shown until it is leased again.
    next.reset();
    set(REVIEW_STATE);
  };
  const leave = useMutation({
    mutationFn: (given: Given) => send(queueId, given),
    onSuccess: ({ item, result_problem: problem }, { id, kind }) => {
      setLeft((before) => withLeft(before, id));
      setLast(kind === 'skip' ? null : { item, problem });
      refresh();
      goOn();
    },
  });
  const undo = () => {
    const id = left.at(-1);
    if (id === undefined) return;
    setLeft(left.slice(0, -1));
    setLast(null);
    set({ item: id, decide: '' });
  };
  const item = chosenId === '' ? next.data?.item : chosen.data?.item;
  const refused = leave.variables;
  const isRefusedHere = refused?.id === item?.id && (refused?.kind === 'decide') === (decide !== '');
  return {
    item,
    isChosen: chosenId !== '',
    isDecision: decide !== '',
    isWaiting: next.isPending || chosen.isFetching || leave.isPending,
    isSaving: leave.isPending,
    error: chosenId === '' ? next.error : chosen.error,
    // A refusal about another item is not shown below this one.
    refusal: isRefusedHere ? leave.error : null,
    last,
    canUndo: left.length > 0,
    leave: leave.mutate,
    undo,
    goOn: () => {
      leave.reset();
      goOn();
    },
  };
}

/** Reads everything of a queue again but the item that is leased. */
function useRefreshQueue(queueId: string) {
  const client = useQueryClient();
  return () => {
    for (const word of ['review-queue', 'review-agreement', 'review-disagreements', 'review-item']) {
      void client.invalidateQueries({ queryKey: [word, queueId] });
    }
  };
}

export type Given =
  | { kind: 'answer'; id: string; answers: Answers; comment: string | null }
  | { kind: 'decide'; id: string; answers: Answers }
  | { kind: 'skip'; id: string };

function send(queueId: string, given: Given) {
  const path = { review_queue_id: queueId, review_item_id: given.id };
  if (given.kind === 'skip') return api(`POST ${ITEM}/skip`, { path });
  const { answers } = given;
  if (given.kind === 'decide') return api(`POST ${ITEM}/decide`, { path, body: { answers } });
  return api(`POST ${ITEM}/answer`, { path, body: { answers, comment: given.comment } });
}
