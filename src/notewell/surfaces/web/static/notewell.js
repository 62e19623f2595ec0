// What script adds to every page; without it all of them work just as well.

// "/" goes to the search field.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const field = document.querySelector('input[type="search"]');
  if (field) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});

// A menu closes with Escape and with a click elsewhere.
const closeMenus = (except) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) if (menu !== except) menu.open = false;
};
document.addEventListener("click", (event) => closeMenus(event.target.closest("details.menu")));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details.menu[open]");
  closeMenus();
  menu?.querySelector("summary").focus();
});

// Buttons that copy: <button type="button" data-copy="ID" hidden>
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.classList.add("done");
  });
}

// A form is sent once, however often its button is pressed.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post" || event.defaultPrevented) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "1";
});
addEventListener("pageshow", (event) => {
  for (const form of document.forms) {
    delete form.dataset.sent;
    // A page that was kept whole shows again what its address asks for.
    if (event.persisted && form.method === "get") form.reset();
  }
});

// Whoever leaves a text that is stored nowhere is asked: <form data-unsaved="1"> where it came so, else when it changed.
const written = (form) => new URLSearchParams(new FormData(form)).toString();
const guarded = [...document.querySelectorAll("form[data-unsaved]")].map((form) => [form, written(form)]);
addEventListener("beforeunload", (event) => {
  const isLost = ([form, before]) => !form.dataset.sent && (form.dataset.unsaved === "1" || written(form) !== before);
  if (guarded.some(isLost)) event.preventDefault();
});
