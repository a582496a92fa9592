/** The reader's choice of theme: kept under this key, applied as data-theme on the root; without one the system's preference holds. */
export const THEME_KEY = 'subnormal.theme';

export type Theme = 'light' | 'dark';

/** Runs in the head, before anything is painted. Storage may be forbidden. */
export const themeScript = `try{var t=localStorage.getItem('${THEME_KEY}');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch{}`;
