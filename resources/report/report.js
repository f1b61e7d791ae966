for(const key of document.querySelectorAll(".key"))key.addEventListener("click",()=>{
const line=key.closest("svg").querySelector('[data-line="'+key.dataset.key+'"]');
const off=line.classList.toggle("off");key.classList.toggle("hidden",off)});
for(const mark of document.querySelectorAll("[data-point]"))for(const [name,on] of [["mouseenter",1],["mouseleave",0]])
mark.addEventListener(name,()=>{for(const same of document.querySelectorAll("[data-point]"))
if(same.dataset.point===mark.dataset.point)same.classList.toggle("lit",!!on)});
