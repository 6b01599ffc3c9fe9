// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

/// A page that fills a form while the model writes: what `espalier serve` shows in a browser.
///
/// The page makes its form from a JSON Schema, asks `/v1/chat/completions` for a value of it as a
/// stream, and reads the value as far as it goes after each piece. It loads nothing from elsewhere.
enum FormPage {
  static let html = #"""
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Espalier</title>
    <style>
      :root { color-scheme: light dark; --line: #8886; --accent: #2f7d4f; }
      body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
      h1 { font-size: 1.3rem; margin: 0; }
      p { margin: .2rem 0 1rem; opacity: .8; }
      main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); }
      textarea, input, select { box-sizing: border-box; font: inherit; padding: .4rem .5rem; width: 100%;
        border: 1px solid var(--line); border-radius: .4rem; background: transparent; color: inherit; }
      input[type=checkbox] { width: auto; justify-self: start; }
      label { display: grid; grid-template-columns: 7rem 1fr 1.5rem; align-items: center; margin-bottom: .5rem; }
      label.writing { color: var(--accent); font-weight: 600; }
      label::after { content: ""; text-align: right; color: var(--accent); }
      label.done::after { content: "✓"; }
      button { font: inherit; padding: .5rem 1.2rem; border: 0; border-radius: .4rem; color: white;
        background: var(--accent); cursor: pointer; margin-top: .6rem; }
      button:disabled { opacity: .5; }
      pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8rem; }
      #status { min-height: 1.5rem; font-size: .9rem; }
      .error { color: #c33; }
    </style>
    <h1>A form that fills itself</h1>
    <p>The model reads the text and writes the fields. Espalier holds it to the form, token by token.</p>
    <main>
      <section>
        <textarea id="text" rows="7" dir="auto" aria-label="Text">Hello, this is Maria Rossi. We are two and would like a double room in Rome for three nights, from 3 May 2026 on. Breakfast would be lovely!</textarea>
        <button id="fill">Fill the form</button>
        <div id="status" role="status"></div>
        <details><summary>The schema</summary><textarea id="schema" rows="18" spellcheck="false" aria-label="Schema"></textarea></details>
      </section>
      <section>
        <form id="form"></form>
        <details open><summary>What the model has written</summary><pre id="json"></pre></details>
      </section>
    </main>
    <script>
      const $ = id => document.getElementById(id);
      const booking = {
        type: "object",
        properties: {
          guest: { type: "string", description: "name of the guest", maxLength: 40 },
          city: { type: "string", description: "city of the hotel", maxLength: 30 },
          nights: { type: "integer", minimum: 1, maximum: 14 },
          room: { enum: ["single", "double", "suite"] },
          arrival: { type: "string", format: "date", description: "first day of the stay" },
          breakfast: { type: "boolean" },
        },
        required: ["guest", "city", "nights", "room", "arrival", "breakfast"],
        additionalProperties: false,
      };
      // Worked examples help a small model more than any description. It copies from one; several differ.
      const examples = [
        ["Omar Haddad here: a suite in Oslo for two nights from 21 June 2026, no breakfast.",
          { guest: "Omar Haddad", city: "Oslo", nights: 2, room: "suite", arrival: "2026-06-21", breakfast: false }],
        ["I need a single room in Vienna on 8 March 2026, just one night, with breakfast. Lena Novak",
          { guest: "Lena Novak", city: "Vienna", nights: 1, room: "single", arrival: "2026-03-08", breakfast: true }],
        ["Could we have a double room? It is for Tom Miller, in Lisbon, from 14 October 2026, five nights.",
          { guest: "Tom Miller", city: "Lisbon", nights: 5, room: "double", arrival: "2026-10-14", breakfast: false }],
      ].flatMap(([text, value]) => [
        { role: "user", content: text }, { role: "assistant", content: JSON.stringify(value) }]);
      $("schema").value = JSON.stringify(booking, null, 2);

      function build(schema) {
        $("form").replaceChildren(...Object.entries(schema.properties ?? {}).map(([name, property]) => {
          const label = document.createElement("label");
          const field = document.createElement(property.enum ? "select" : "input");
          if (property.enum) field.append(new Option("", ""), ...property.enum.map(one => new Option(one, one)));
          else field.type = { integer: "number", number: "number", boolean: "checkbox" }[property.type]
            ?? (property.format === "date" ? "date" : "text");
          field.name = name;
          field.dir = "auto";
          label.append(name, field);
          return label;
        }));
      }

      // A text that may end anywhere, with what is open in it closed.
      function closed(text) {
        let closers = "", inString = false;
        for (let i = 0; i < text.length; i++) {
          const c = text[i];
          if (inString) { if (c === "\\") i++; else if (c === '"') inString = false; }
          else if (c === '"') inString = true;
          else if (c === "{") closers = "}" + closers;
          else if (c === "[") closers = "]" + closers;
          else if (c === "}" || c === "]") closers = closers.slice(1);
        }
        return text + (inString ? '"' : "") + closers;
      }

      // The value as far as it goes: where it ends in half a member, that member is left out.
      function partial(text) {
        for (let end = text.length; end > 0; end = text.lastIndexOf(",", end - 1)) {
          try { return JSON.parse(closed(text.slice(0, end))); } catch {}
        }
        return null;
      }

      function show(value, isComplete) {
        const names = Object.keys(value ?? {});
        for (const field of $("form").elements) {
          const index = names.indexOf(field.name);
          const isLast = index === names.length - 1;
          const label = field.parentElement;
          label.className = index < 0 ? "" : isLast && !isComplete ? "writing" : "done";
          if (index < 0) continue;
          const content = value[field.name];
          if (field.type === "checkbox") field.checked = content === true;
          else if (field.type !== "date" || /^\d{4}-\d\d-\d\d$/.test(content)) {
            field.value = Array.isArray(content) ? content.join(", ") : content;
          }
        }
      }

      async function fill() {
        $("fill").disabled = true;
        $("status").className = "";
        let text = "", last = null;
        const started = performance.now();
        try {
          const schema = JSON.parse($("schema").value);
          build(schema);
          const isBooking = $("schema").value === JSON.stringify(booking, null, 2);
          const response = await fetch("/v1/chat/completions", {
            method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({
              messages: [...(isBooking ? examples : []), { role: "user", content: $("text").value }],
              response_format: { type: "json_schema", json_schema: { name: "form", strict: true, schema } },
              temperature: 0, stream: true, stream_options: { include_usage: true },
            }),
          });
          if (!response.ok) throw new Error((await response.json()).error?.message ?? response.statusText);
          let lines = "", tokens = 0;
          for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();;) {
            const { done, value } = await reader.read();
            if (done) break;
            lines += value;
            const events = lines.split("\n\n");
            lines = events.pop();
            for (const event of events) {
              const data = event.replace(/^data: /, "");
              if (data === "[DONE]") continue;
              const part = JSON.parse(data);
              if (part.error) throw new Error(part.error.message);
              text += part.choices?.[0]?.delta?.content ?? "";
              tokens = part.usage?.completion_tokens ?? tokens;
              last = partial(text) ?? last;
              $("json").textContent = text;
              show(last, false);
            }
            $("status").textContent = "Writing …";
          }
          show(JSON.parse(text), true);
          const seconds = ((performance.now() - started) / 1000).toFixed(1);
          $("status").textContent = `Done in ${seconds} s, ${tokens} tokens.`;
        } catch (error) {
          $("status").textContent = error.message;
          $("status").className = "error";
        }
        $("fill").disabled = false;
      }

      build(booking);
      $("fill").onclick = fill;
      if (location.hash === "#fill") fill();
    </script>
    """#
}
