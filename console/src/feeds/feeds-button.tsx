import type { SheetPath } from '../sheet/sheet-data';
import { count } from '../ui/format';
import { isPausedByServer } from './feed-words';
import { useFeeds } from './feeds-data';

/** Opens the feeds of a sheet. It has their number, and a mark when the server has paused one. */
export function FeedsButton({ path, isOpen, onClick }: { path: SheetPath; isOpen: boolean; onClick: () => void }) {
  const { data } = useFeeds(path);
  const feeds = data?.data ?? [];
  const paused = feeds.filter(isPausedByServer).length;
  return (
    <button className="button" aria-pressed={isOpen} onClick={onClick}>
      {feeds.length > 0 ? `Feeds ${count(feeds.length)}` : 'Feeds'}
      {paused > 0 && <span className="bad">{`${count(paused)} paused`}</span>}
    </button>
  );
}
