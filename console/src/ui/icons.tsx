/** Strokes on a grid of 16 px. */
const PATHS = {
  traces: 'M2.5 4h8M4.5 8h6M6.5 12h7',
  requests: 'M2.5 3.5h11v6h-6l-3 3v-3h-2Z',
  sessions: 'M2.5 3h8v5.5h-5l-3 2.5ZM12.5 6h1v6.5l-2.5-2h-4',
  trends: 'M2.5 12.5 6 8.5l3 2.5 4.5-6.5M10.5 4.5h3v3',
  monitors: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  evaluations: 'M2.5 8.5 5 11l3.5-4M9 12.5h4.5M10 4h3.5M10 8h3.5',
  reviews: 'M2.5 3h8M2.5 7h5M2.5 11h3M7.5 11.5 9.5 13.5 13.5 8',
  activity: 'M2 8h3l2-4.5 3 9L12 8h2',
  today: 'M2.5 13.5v-4M6.2 13.5v-8M9.8 13.5v-6M13.5 13.5v-11',
  prompts: 'M2.5 3h11v8h-6l-3 2.5V11h-2zM5 6h6M5 8.5h4',
  playground: 'M2.5 3h4.5v10H2.5zM9 3h4.5v10H9zM4 6h1.5M4 8.5h1.5M10.5 6H12M10.5 8.5H12',
  workflows: 'M2.5 3h4v3.5h-4zM9.5 3h4v3.5h-4zM6 10h4v3.5H6zM6.5 4.75h3M4.5 6.5v5.25H6M11.5 6.5v5.25H10',
  tools:
    'M9.5 3.2a3.2 3.2 0 0 0-.9 4.2L3 13l1.2 1.2 5.5-5.6a3.2 3.2 0 0 0 4-4.2L11.6 6.4 9.8 6.2 9.6 4.4l2-2a3.2 3.2 0 0 0-2.1.8Z',
  skills: 'M2.5 4.5h4l1.2 1.5h5.8v7h-11zM4.5 4.5V3h5l1 1.2M5 9h6M5 11h4',
  settings: 'M2.5 4.5h6M11.5 4.5h2M8.5 3v3M2.5 11.5h2M7.5 11.5h6M4.5 10v3',
  tables: 'M2.5 3h11v10h-11zM2.5 6.5h11M2.5 10h11M6.5 3v10',
  datasets:
    'M8 2.5c3 0 5 .8 5 2s-2 2-5 2-5-.8-5-2 2-2 5-2ZM3 4.5v7c0 1.2 2 2 5 2s5-.8 5-2v-7M3 8c0 1.2 2 2 5 2s5-.8 5-2',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5 14 14',
  narrow: 'M3 2.5h10v11H3zM6.5 2.5v11',
  out: 'M6.5 2.5h-4v11h4M6.5 8h7M10.5 5l3 3-3 3',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11ZM8 2.5a5.5 5.5 0 0 1 0 11',
  close: 'M4 4l8 8M12 4l-8 8',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  help: 'M6 6a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1v.3M8 11.6v.1M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8Z',
  docs: 'M4 2.5h5.5L12 5v8.5H4zM6 7h4M6 10h4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
