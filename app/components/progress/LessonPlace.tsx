'use client';
import { useEffect } from 'react';
import { keepPlace } from '@/app/progress/store';

/** Time without a new section before the place is kept, in milliseconds: scrolling past is not reading. */
const SETTLED = 1_000;

/** Remembers which section of a lesson is being read, so that the reader can go on there. Shows nothing. */
export function LessonPlace({
  slug,
  headings,
}: {
  readonly slug: string;
  readonly headings: readonly { readonly id: string; readonly text: string }[];
}) {
  useEffect(() => {
    let kept: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** The last heading that has come into the upper half of the window; at the end of the page the last one of all. */
    const current = () => {
      if (innerHeight + scrollY >= document.documentElement.scrollHeight - 40) return headings.at(-1);
      return headings.findLast(({ id }) => {
        const element = document.getElementById(id);
        return element && element.getBoundingClientRect().top < innerHeight / 2;
      });
    };
    const keep = () => {
      const heading = current();
      // Opening a page is not beginning it.
      if (!heading || heading.id === kept) return;
      kept = heading.id;
      const { id, text } = heading;
      void keepPlace({ slug, at: Date.now(), heading: { id, text }, finished: id === headings.at(-1)?.id });
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(keep, SETTLED);
    };
    // A page that is opened where it was left, or scrolled before this ran, has no scroll to tell of.
    later();
    addEventListener('scroll', later, { passive: true });
    return () => {
      clearTimeout(timer);
      removeEventListener('scroll', later);
    };
  }, [slug, headings]);
  return null;
}
