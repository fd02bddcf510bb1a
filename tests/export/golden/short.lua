-- kurz
-- Plays the original at the planned speeds:  mpv --script=THIS_FILE VIDEO   (or: mpv --idle=once --script=THIS_FILE)
-- Press S to switch between the plan and normal speed.
local VIDEO = "/films/nudeln f\195\188r alle.mp4"
-- Start and end in the source (seconds), and the speed between them.
local PARTS = {
  {0.000000, 16.016000, 8.000000},
  {31.031000, 34.034000, 1.000000},
  {34.034000, 36.036000, 2.000000},
  {36.036000, 69.402667, 25.000000}
}
local EARLY = 0.02 -- seconds by which timers of the player come late
local on, at, timer = true, 0, nil

local function part_at(time)
  for i = #PARTS, 1, -1 do
    if time >= PARTS[i][1] - 0.001 then return i end
  end
  return 1
end

local follow

local function enter(i)
  at = i
  mp.set_property_number("speed", PARTS[i][3])
end

local function jump(i)
  enter(i)
  mp.commandv("seek", PARTS[i][1], "absolute+exact")
end

local function wait(time)
  if timer then timer:kill() end
  local left = (PARTS[at][2] - time) / PARTS[at][3] - EARLY
  timer = mp.add_timeout(math.max(left, 0.01), follow)
end

follow = function()
  local time = mp.get_property_number("time-pos")
  if not on or not time or mp.get_property_bool("pause") then return end
  local i = part_at(time + EARLY * mp.get_property_number("speed"))
  if i == at - 1 and PARTS[at][1] - time < 0.5 then i = at end -- entered a little early
  if time >= PARTS[i][2] - 0.001 or time < PARTS[i][1] - 1 then
    if i == #PARTS then
      if time >= PARTS[i][2] then mp.command("playlist-next force") end
      return
    end
    i = time < PARTS[1][1] and 1 or i + 1
    if math.abs(PARTS[i][1] - time) > 0.25 then jump(i) else enter(i) end
  elseif i ~= at then
    enter(i)
  end
  wait(time)
end

mp.register_event("file-loaded", function() at = 0; follow() end)
mp.register_event("playback-restart", function() at = 0; follow() end)
mp.observe_property("pause", "bool", function() at = 0; follow() end)
mp.observe_property("time-pos", "number", follow)
mp.add_key_binding("S", "saffa", function()
  on = not on
  if on then follow() else mp.set_property_number("speed", 1) end
  mp.osd_message(on and "planned speeds" or "normal speed")
end)
-- Fast-forwarded sound is heard, not muted.
mp.set_property("af", "scaletempo2=max-speed=100")
if mp.get_property("path") == nil and mp.get_property_number("playlist-count") == 0 then
  mp.commandv("loadfile", VIDEO)
end
