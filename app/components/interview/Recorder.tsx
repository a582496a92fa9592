'use client';
import { useEffect, useRef, useState } from 'react';
import { putRecording, recording } from '@/app/interviews/store';
import styles from './interview.module.css';

interface Props {
  readonly attempt: string;
  readonly question: string;
  readonly seconds: number;
}

/** Says the answer aloud: recorded into this browser's storage, for one's own ears. Nothing is sent anywhere. */
export function Recorder({ attempt, question, seconds }: Props) {
  const recorder = useRef<MediaRecorder>(undefined);
  const [state, setState] = useState<'idle' | 'recording' | 'kept'>('idle');
  const [why, setWhy] = useState<string>();
  const [passed, setPassed] = useState(0);

  useEffect(() => {
    let gone = false;
    void recording(attempt, question).then((audio) => audio && !gone && setState('kept'));
    return () => {
      gone = true;
      if (recorder.current?.state === 'recording') recorder.current.stop();
    };
  }, [attempt, question]);

  useEffect(() => {
    if (state !== 'recording') return;
    const timer = setInterval(() => setPassed((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, [state]);

  const start = async () => {
    setWhy(undefined);
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const made = new MediaRecorder(stream);
      const parts: Blob[] = [];
      made.ondataavailable = (event) => parts.push(event.data);
      made.onstop = () => {
        for (const track of stream.getTracks()) track.stop();
        void putRecording(attempt, question, new Blob(parts, { type: made.mimeType })).then((kept) => {
          setState(kept.kept ? 'kept' : 'idle');
          if (!kept.kept) setWhy(`It could not be kept: ${kept.reason}.`);
        });
      };
      recorder.current = made;
      made.start();
      setPassed(0);
      setState('recording');
    } catch {
      setWhy('The browser gave no microphone. Write instead; it counts the same.');
    }
  };

  return (
    <div className={styles.recorder}>
      {state === 'recording' ? (
        <button type="button" className="button" onClick={() => recorder.current?.stop()}>
          Stop recording
        </button>
      ) : (
        <button type="button" className="button" onClick={() => void start()}>
          {state === 'kept' ? 'Record again' : 'Say it aloud'}
        </button>
      )}
      <p className={styles.note} role="status">
        {why ??
          (state === 'recording'
            ? `Recording, ${passed} of ${seconds} seconds`
            : state === 'kept'
              ? 'Recorded. It stays in this browser; the report plays it.'
              : 'Optional. A recording stays in this browser and is never sent.')}
      </p>
    </div>
  );
}

/** Plays what was recorded, if anything was. */
export function Playback({ attempt, question }: { readonly attempt: string; readonly question: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let made: string | undefined;
    let gone = false;
    void recording(attempt, question).then((audio) => {
      if (!audio || gone) return;
      made = URL.createObjectURL(audio);
      setUrl(made);
    });
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [attempt, question]);
  // biome-ignore lint/a11y/useMediaCaption: the candidate's own voice, heard by the candidate
  return url ? <audio className={styles.audio} controls src={url} aria-label="What you said" /> : null;
}
