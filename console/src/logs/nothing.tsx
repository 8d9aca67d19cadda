import { NothingSent } from '../shell/nothing-sent';
import { NothingLike } from '../ui/list-screen';
import { describeFilters, type LogState } from './log-state';

/** Replaces an empty list, and explains why it is empty. */
export function Nothing(props: { state: LogState; onClear: () => void; onRefresh: () => void }) {
  const { state, onClear, onRefresh } = props;
  const filters = describeFilters(state);
  if (filters.length > 0) return <NothingLike what="request" filters={filters} onClear={onClear} />;
  return (
    <NothingSent what="requests" line="Every call of a model becomes a line here." onRefresh={onRefresh}>
      , or log calls with <code>POST /log-request</code>
    </NothingSent>
  );
}
