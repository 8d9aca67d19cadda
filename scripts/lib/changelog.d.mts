export declare function sectionOf(release: { version: string; date: string; subjects: string[] }): string;
