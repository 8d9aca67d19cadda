import { type ReactNode, useState } from 'react';
import type { Taken } from '../feeds/feed-draft';
import { JudgeFromNow } from '../feeds/judge-from-now';
import { type ReviewedList, ReviewThese } from '../reviews/review-these';
import { SavedViews, type SavedScreen } from '../saved-views/saved-views';
import { GuardedButton } from '../shell/permissions';
import { ScopeChoice } from '../shell/scope';
import { useKeys } from '../ui/keys';
import { ListScreenHead, Refresh } from '../ui/list-screen';
import { TimeChoice } from '../ui/time-choice';
import { FilterForm, type SearchFields } from './filter-form';
import { type SearchedState, type SetState, withCondition } from './search-state';

/** Permission for adding to a sheet. */
export const EDIT_TABLES = 'TABLE_EDIT';

interface Props<S extends SearchedState> {
  title: string;
  placeholder: string;
  screen: SavedScreen<S>;
  state: S;
  set: SetState<S>;
  /** Fields by which the list can be filtered. */
  fields: SearchFields;
  news: number;
  onRefresh: () => void;
  onAdd: () => void;
  /** The list for review queues: its ticked items, and its filter. */
  review: ReviewedList;
  /** The list in the form that a feed takes, without its time range. */
  taken: Taken;
  /** Further choices, before the time. */
  children?: ReactNode;
}

/**
 * The head of a list with a search: words, scope, choices, time, conditions, saved views, and actions on the results.
 */
export function SearchHead<S extends SearchedState>(props: Props<S>) {
  const { title, placeholder, screen, state, fields, news, onRefresh, onAdd, review, taken, children } = props;
  const set = props.set as SetState<SearchedState>;
  const [isFiltering, setFiltering] = useState(false);
  useKeys({ f: () => setFiltering(true) });
  return (
    <ListScreenHead title={title} placeholder={placeholder} q={state.q} onSearch={(q) => set({ q }, { replace: true })}>
      <SavedViews screen={screen} state={state} set={props.set} />
      <ScopeChoice />
      {children}
      <TimeChoice state={state} onChange={set} />
      <button className="button" title="f" onClick={() => setFiltering(true)}>
        Filter
      </button>
      <GuardedButton permission={EDIT_TABLES} onClick={onAdd}>
        Add to a sheet
      </GuardedButton>
      <JudgeFromNow taken={taken} />
      <ReviewThese list={review} />
      <Refresh news={news} onRefresh={onRefresh} />
      {isFiltering && (
        <FilterForm
          of={fields}
          onClose={() => setFiltering(false)}
          onAdd={(condition) => {
            setFiltering(false);
            set({ f: withCondition(state.f, condition) });
          }}
        />
      )}
    </ListScreenHead>
  );
}
